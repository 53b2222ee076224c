//! Several processes on one Redis: what the fleet does when its members race, stall, fail or die.
//!
//! `stampede` runs the example `stampede_test`. The other scenarios drive worker processes, which
//! are this test binary again: see [`worker`]. Counts, order and causes are asserted; time is only
//! a guard against hanging.

mod stampede;
mod holder;
mod invalidation;
mod failures;
mod early;
mod endings;
mod fleets;
mod stage;
mod control;
mod serve;
mod functions;
mod backend;
mod protocol;
#[path = "../support/server.rs"]
mod server;
#[path = "../support/fleet.rs"]
mod fleet;

/// Not a test: the other side of [`control::Worker`], which starts this binary with only this
/// entry and says so by an environment variable. In a plain run it returns at once.
#[test]
fn worker() {
    if let Ok(setup) = std::env::var(protocol::WORKER) {
        serve::serve(&setup);
    }
}
