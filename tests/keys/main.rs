//! What keys look like, and which calls share one.

mod fixed;
mod casebook;
mod places;
mod secrets;
#[path = "../support/server.rs"]
mod server;
