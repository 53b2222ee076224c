//! What the protocol does not promise, or not yet: how it comes about, and what would end it.

use super::*;

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
