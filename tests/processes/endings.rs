//! A process ends while it loads: with a shutdown, without one, by a panic.

use std::time::Duration;

use crate::control::Worker;
use crate::protocol::{Function, What, Work};
use crate::stage::{GUARD, Stage, until_in_line};

/// The first worker leads a load that is held; the second waits for it.
fn two(lease: Duration) -> (Stage, Worker, Worker, crate::control::Ticket, crate::control::Ticket) {
    let mut stage = Stage::with(|setup| setup.lease = lease);
    let (mut first, mut second) = (stage.worker(), stage.worker());
    let leads = first.call(Function::Lock, "row", Work::held());
    stage.until_loads("row", 1);
    let waits = second.call(Function::Lock, "row", Work::held());
    until_in_line(&mut second);
    (stage, first, second, leads, waits)
}

#[test]
fn a_shutdown_lets_a_load_finish() {
    let (mut stage, mut first, mut second, leads, waits) = two(GUARD * 10);
    let shutdown = first.ask(What::Shutdown { deadline: GUARD * 10 });
    stage.open_gate("row");
    assert_eq!(first.shut_down(shutdown), (1, 0, 0));
    assert_eq!(first.answer(leads).load, Ok(1));
    assert_eq!(first.ends(What::Exit), Some(0));
    assert_eq!(second.answer(waits).load, Ok(1), "one load for all");
    assert_eq!((stage.loads("row"), stage.leases()), (1, 0));
}

#[test]
fn at_its_deadline_a_shutdown_gives_the_lease_to_who_waits() {
    let (mut stage, mut first, mut second, _, waits) = two(GUARD * 10);
    let shutdown = first.ask(What::Shutdown { deadline: Duration::from_millis(50) });
    assert_eq!(first.shut_down(shutdown), (0, 1, 1));
    // Before the process ends, and long before the lease would.
    let answer = second.answer(waits);
    assert_eq!((answer.load, answer.kind.as_str()), (Ok(2), "Computed"));
    assert_eq!(first.ends(What::Exit), Some(0));
    assert_eq!((stage.loads("row"), stage.leases()), (2, 0));
    assert_eq!(second.peek(Function::Lock, "row"), Some(2));
}

/// The lease is still there when the process is not, and lapses.
fn costs_a_lease(how: What, status: i32) {
    let (mut stage, first, mut second, _, waits) = two(Duration::from_secs(3));
    assert_eq!(first.ends(how), Some(status));
    assert_eq!(stage.leases(), 1, "nobody gave it back");
    let answer = second.answer(waits);
    assert_eq!((answer.load, answer.kind.as_str()), (Ok(2), "Computed"));
    assert_eq!(second.get(Function::Lock, "row", Work::held()).kind, "Hit");
    assert_eq!(stage.loads("row"), 2, "one load more, and no herd");
}

#[test]
fn a_process_that_exits_without_one_costs_a_lease() {
    costs_a_lease(What::Exit, 0);
}

#[test]
fn a_process_that_panics_costs_a_lease() {
    costs_a_lease(What::Panic, 101);
}
