//! Nothing that must not happen can happen.

use super::*;

#[test]
fn three_processes_keep_every_promise_through_a_change() {
    holds("three processes", &ANY_TIME, Left { changes: 1, ..NOTHING });
}

#[test]
fn three_processes_keep_every_promise_through_a_crash() {
    holds("a crash", &ANY_TIME, Left { crashes: 1, ..NOTHING });
}

#[test]
fn two_processes_keep_every_promise_through_more_of_it() {
    holds("changes", &TWO, Left { changes: 2, crashes: 1, ..NOTHING });
    holds("pauses", &TWO, Left { changes: 1, pauses: 1, leaves: 1, ..NOTHING });
    holds("failures", &TWO, Left { changes: 1, crashes: 1, failures: 2, ..NOTHING });
}

#[test]
fn commands_that_come_late_or_never_break_nothing() {
    holds("late", &TWO, Left { changes: 1, unheard: 1, ..NOTHING });
}

#[test]
fn who_joins_a_flight_after_a_removal_gets_nothing_older() {
    let rules = Rules { joiners: true, ..TWO };
    holds("flights", &rules, Left { changes: 1, leaves: 1, ..NOTHING });
    holds("flights that fail", &rules, Left { changes: 1, failures: 1, ..NOTHING });
}

#[test]
fn wake_ups_change_nothing_that_is_stored() {
    let rules = Rules { processes: 2, lingers: false, ..Rules::AS_IS };
    holds("wake-ups", &rules, Left { changes: 1, crashes: 1, ..NOTHING });
}
