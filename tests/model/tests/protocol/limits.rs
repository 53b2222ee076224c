//! What the protocol does not promise, or not yet: how it comes about, and what would end it.

use super::*;

/// One process with two callers, and somebody else who changes the key.
const FLIGHT: Rules = Rules { joiners: true, processes: 1, ..TWO };
const CHANGE: Left = Left { changes: 1, ..NOTHING };

/// A value that was read before a removal stands in for a failed load that began after it, for
/// callers who came in between.
#[test]
fn a_last_value_that_was_removed_meanwhile() {
    let left = Left { failures: 1, ..CHANGE };
    let rules = Rules { abandon_knows_time: true, ..FLIGHT };
    let trace = breaks("last value", &rules, left, Promise::Removed);
    assert!(trace.has("fail -> abandon, the last value stands in"));
    holds("confirmed", &Rules { confirms_last: true, ..rules }, left);
}

/// A load of more than ten minutes whose value is not stored.
#[test]
fn an_abandonment_that_outlives_the_generation() {
    let left = Left { failures: 1, ..CHANGE };
    let rules = Rules { confirms_last: true, ..FLIGHT };
    let trace = breaks("abandoned late", &rules, left, Promise::Removed);
    assert!(trace.has("ten minutes: the generation leaves"));
}

/// Nobody has heard whether a commit was refused.
#[test]
fn a_commit_without_an_answer() {
    let left = Left { unheard: 1, ..CHANGE };
    let rules = Rules { cut_off_counts: true, ..FLIGHT };
    let trace = breaks("no answer", &rules, left, Promise::Removed);
    assert!(trace.has("commit, no answer"));
    let cautious = Rules { unanswered_is_refused: true, ..rules };
    holds("taken for refused", &cautious, left);
}

/// Nothing remembers an entry after its life: a load that takes longer than that stores over it.
#[test]
fn a_load_longer_than_a_newer_entrys_life() {
    let rules = Rules { remembers_what_left: true, ..TWO };
    let trace = breaks("forgotten", &rules, NOTHING, Promise::Newest);
    assert!(trace.has("the entry's life ends"));
}

/// `wait` is counted for each holder: who looks only while yet another load runs waits on.
#[test]
fn a_waiter_who_misses_every_marker() {
    let rules = Rules { processes: 2, lingers: false, ..IN_TIME };
    let left = Left { failures: Left::ALWAYS, ..NOTHING };
    can("missed", graph("missed", rules, left).waits_for_ever());
}
