//! What should happen happens, if whatever is due gets its turn.

use super::*;

#[test]
fn no_waiter_waits_for_ever_for_a_holder_that_crashed() {
    let rules = Rules { refreshes: false, ..IN_TIME };
    let graph = graph("crash", rules, Left { crashes: 1, ..NOTHING });
    never("a call is never answered", graph.waits_for_ever());
}

#[test]
fn no_waiter_waits_for_ever_whatever_is_lost() {
    let rules = Rules { processes: 2, ..Rules::AS_IS };
    let failing = Left { crashes: 1, pauses: 1, leaves: 1, failures: Left::ALWAYS, ..NOTHING };
    never("failures", graph("failures", rules, failing).waits_for_ever());
    let changing = Left { changes: 1, crashes: 1, ..NOTHING };
    never("changes", graph("changes", rules, changing).waits_for_ever());
    let late = Left { unheard: 1, ..NOTHING };
    let rules = Rules { processes: 2, ..IN_TIME };
    never("late", graph("late", rules, late).waits_for_ever());
}

#[test]
fn a_key_whose_loads_succeed_is_stored_although_every_lease_is_lost() {
    let rules = Rules { refreshes: false, lingers: false, ..IN_TIME };
    never("three processes", graph("three processes", rules, NOTHING).never_stores());
    let rules = TWO;
    let left = Left { changes: 1, crashes: 1, pauses: 1, ..NOTHING };
    never("changes", graph("changes and crashes", rules, left).never_stores());
    let left = Left { unheard: 1, ..NOTHING };
    never("late", graph("late", rules, left).never_stores());
}

/// Two ways out of every wait, three if somebody publishes: each alone would do.
#[test]
fn each_way_out_of_a_wait_is_enough() {
    let none = Rules {
        processes: 2,
        fallback_timer: false,
        lapse_timer: false,
        patience: false,
        ..Rules::AS_IS
    };
    let left = Left { crashes: 1, ..NOTHING };
    for (name, rules) in [
        ("fallback", Rules { fallback_timer: true, ..none }),
        ("the lease's end", Rules { lapse_timer: true, ..none }),
        ("patience", Rules { patience: true, ..none }),
        ("patience, no lapse", Rules { patience: true, leases_lapse: false, ..none }),
    ] {
        never(name, graph(name, rules, left).waits_for_ever());
    }
    // Without a timer, if no message gets lost and nobody crashes: the look after subscribing.
    let heard = Rules { wakes_get_lost: false, ..none };
    never("messages", graph("messages", heard, NOTHING).waits_for_ever());
}
