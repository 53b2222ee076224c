//! Some of these promises on other servers than the one that is installed.

use crate::again::{fetched, run};
use crate::server::PROGRAM;

/// A cold key, a crowd, changes, and a server that goes away.
const SOME: [&str; 4] = ["cycle_of_life", "crowded", "changes", "outage"];

fn promises_on(name: &str) {
    if let Some(program) = fetched(name) {
        run(&SOME, &[], &[(PROGRAM, &program)]);
    }
}

#[test]
fn calls_keep_their_promises_on_valkey_9() {
    promises_on("valkey-9");
}

#[test]
fn calls_keep_their_promises_on_redis_7_4() {
    promises_on("redis-7.4");
}
