//! What keys look like, and which calls share one.

mod fixed;
mod casebook;
mod instances;
#[path = "../support/log.rs"]
mod log;
mod places;
mod secrets;
mod untagged;
#[path = "../support/server.rs"]
mod server;
