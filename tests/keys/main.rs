//! What keys look like, and which calls share one.

mod fixed;
mod casebook;
#[path = "../support/log.rs"]
mod log;
mod places;
mod secrets;
#[path = "../support/server.rs"]
mod server;
