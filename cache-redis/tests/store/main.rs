//! The store against real servers, one per test.

#[path = "../../../tests/support/server.rs"]
mod server;
#[path = "../../../tests/support/fleet.rs"]
mod fleet;
#[path = "../../../tests/support/again.rs"]
mod again;
#[path = "../../../tests/support/log.rs"]
mod log;
mod certificates;
mod support;

mod builder;
mod clock;
mod cluster;
mod commit;
mod heal;
mod lease;
mod marker;
mod replace;
mod rights;
mod runtimes;
mod scan;
mod sentinel;
mod servers;
mod topologies;
mod unscripted;
mod wake;
