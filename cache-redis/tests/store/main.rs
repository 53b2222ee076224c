//! The store against real servers, one per test.

#[path = "../../../tests/support/server.rs"]
mod server;
mod support;

mod clock;
mod commit;
mod heal;
mod lease;
mod marker;
mod replace;
mod rights;
mod runtimes;
mod wake;
