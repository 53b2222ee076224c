//! `invalidate` from another process while a load runs.

use crate::protocol::{Function, Work};
use crate::stage::{Stage, until_in_line};

fn wins_over_a_running_load(function: Function) {
    let held = Work::held();
    let mut stage = Stage::new();
    let (mut loading, mut other) = (stage.worker(), stage.worker());
    let before = loading.call(function, "row", held);
    stage.until_loads("row", 1);

    other.invalidate(function, "row");
    let after_there = loading.call(function, "row", held);
    let after_here = other.get(function, "row", held);
    assert_eq!((after_here.load, after_here.kind.as_str()), (Ok(2), "Computed"));

    stage.open_gate("row");
    assert_eq!(loading.answer(before).load, Ok(1), "it came before");
    assert_eq!(loading.answer(after_there).load, Ok(2), "it came after");
    assert_eq!(loading.count().superseded, 1, "the old value was refused");
    for worker in [&mut loading, &mut other] {
        assert_eq!(worker.peek(function, "row"), Some(2));
        assert_eq!(worker.get(function, "row", held).load, Ok(2));
    }
    assert_eq!(stage.loads("row"), 2);
}

/// Nobody has stored anything when the old load ends.
fn leaves_nothing_behind(function: Function) {
    let held = Work::held();
    let mut stage = Stage::new();
    let (mut loading, mut other) = (stage.worker(), stage.worker());
    let before = loading.call(function, "row", held);
    stage.until_loads("row", 1);

    other.invalidate(function, "row");
    let after = loading.call(function, "row", held);
    until_in_line(&mut loading);
    stage.open_gate("row");
    assert_eq!(loading.answer(before).load, Ok(1));
    let after = loading.answer(after);
    assert_eq!((after.load, after.kind.as_str()), (Ok(2), "Computed"), "a load of its own");
    assert_eq!(other.get(function, "row", held).load, Ok(2));
    assert_eq!(stage.loads("row"), 2);
}

fn check(function: Function) {
    wins_over_a_running_load(function);
    leaves_nothing_behind(function);
}

#[test]
fn invalidate_wins_over_lock() {
    check(Function::Lock);
}

#[test]
fn invalidate_wins_over_xfetch() {
    check(Function::Xfetch);
}

#[test]
fn invalidate_wins_over_ahead() {
    check(Function::Ahead);
}

#[test]
fn invalidate_wins_over_swr() {
    check(Function::Swr);
}

#[test]
fn invalidate_wins_over_jitter() {
    check(Function::Jitter);
}
