//! What keys look like, and which calls share one.

mod fixed;
mod casebook;
mod places;
#[path = "../support/server.rs"]
mod server;
