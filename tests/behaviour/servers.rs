//! Some of these promises on other servers than the one that is installed, and with fewer rights.

use crate::again::{fetched, run};
use crate::server::{ARGUMENTS, PROGRAM, WITHOUT_SCRIPTS};

/// A cold key, a crowd, changes, and a server that goes away.
const SOME: [&str; 4] = ["cycle_of_life", "crowded", "changes", "outage"];

fn promises_on(name: &str) {
    if let Some(program) = fetched(name) {
        run(&SOME, &[], &[(PROGRAM, &program)]);
    }
}

/// What lapses instead of being released costs time, so these are few.
#[test]
fn calls_keep_their_promises_where_the_account_may_not_run_scripts() {
    let some = ["crowded", "values", "a_cycle_through_a_task"];
    run(&some, &[], &[(ARGUMENTS, WITHOUT_SCRIPTS)]);
}

#[test]
fn calls_keep_their_promises_on_valkey_9() {
    promises_on("valkey-9");
}

#[test]
fn calls_keep_their_promises_on_redis_7_4() {
    promises_on("redis-7.4");
}
