//! Each rule is needed: without it a promise is broken, and this is how.

use super::*;

#[test]
fn a_commit_that_ignores_the_generation() {
    let rules = Rules { generation_counts: false, ..TWO };
    let left = Left { changes: 1, ..NOTHING };
    let trace = breaks("generation", &rules, left, Promise::Generation);
    assert!(trace.has("commit -> stored"));
}

#[test]
fn a_commit_at_any_age() {
    let rules = Rules { ten_minutes_count: false, ..TWO };
    let left = Left { changes: 1, ..NOTHING };
    let trace = breaks("ten minutes", &rules, left, Promise::Generation);
    assert!(trace.has("ten minutes: the generation leaves"));
}

#[test]
fn a_commit_over_a_value_that_began_later() {
    let rules = Rules { begun_later_wins: false, ..TWO };
    let trace = breaks("begun later", &rules, NOTHING, Promise::BegunLater);
    assert!(trace.has("the lease lapses") || trace.has("patience over"));
}

#[test]
fn a_release_of_any_lease() {
    let rules = Rules { token_is_compared: false, ..TWO };
    breaks("token", &rules, NOTHING, Promise::Lease);
}

#[test]
fn a_flight_closed_after_its_commit() {
    let rules = Rules { joiners: true, closes_first: false, ..TWO };
    let left = Left { changes: 1, ..NOTHING };
    let trace = breaks("close", &rules, left, Promise::Removed);
    assert!(trace.has("another caller joins"));
}

#[test]
fn a_wait_without_a_timer_when_wake_ups_get_lost() {
    let rules = Rules {
        processes: 2,
        fallback_timer: false,
        lapse_timer: false,
        patience: false,
        ..Rules::AS_IS
    };
    let endless = can("no timer", graph("no timer", rules, NOTHING).waits_for_ever());
    assert!(endless.way.has("subscribe") || endless.round.has("subscribe"));
}

#[test]
fn a_wait_without_a_look_after_subscribing() {
    let rules = Rules {
        processes: 2,
        fallback_timer: false,
        lapse_timer: false,
        patience: false,
        wakes_get_lost: false,
        looks_once_more: false,
        ..Rules::AS_IS
    };
    can("no last look", graph("no last look", rules, NOTHING).waits_for_ever());
}

#[test]
fn a_lease_that_never_lapses() {
    let rules = Rules { processes: 2, leases_lapse: false, patience: false, ..Rules::AS_IS };
    let left = Left { crashes: 1, ..NOTHING };
    let endless = can("no lapse", graph("no lapse", rules, left).waits_for_ever());
    assert!(endless.way.has("crashes") || endless.round.has("crashes"));
}

#[test]
fn a_commit_that_asks_for_the_lease() {
    let rules = Rules { lost_lease_stores: false, ..TWO };
    let endless = can("lost lease", graph("lost lease", rules, NOTHING).never_stores());
    assert!(endless.round.has("the lease lapses"));
}

/// A value that was read before a removal stands in for a failed load that began after it, for
/// callers who came in between.
#[test]
fn a_last_value_that_nobody_reads_again() {
    let left = Left { failures: 1, ..CHANGE };
    let rules = Rules { confirms_last: false, ..FLIGHT };
    let trace = breaks("last value", &rules, left, Promise::Removed);
    assert!(trace.has("fail -> abandon, the last value stands in"));
    holds("confirmed", &FLIGHT, left);
}

/// A load of more than ten minutes whose value is not stored.
#[test]
fn an_abandonment_at_any_age() {
    let left = Left { failures: 1, ..CHANGE };
    let rules = Rules { abandon_knows_time: false, ..FLIGHT };
    let trace = breaks("abandoned late", &rules, left, Promise::Removed);
    assert!(trace.has("ten minutes: the generation leaves"));
}
