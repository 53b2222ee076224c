//! The process that holds the lease stops, dies, or keeps its thread to itself.

use std::time::Duration;

use crate::protocol::{Function, Work};
use crate::stage::{Stage, until_in_line};

#[test]
fn a_holder_stopped_past_its_lease_does_not_replace_the_later_value() {
    let mut stage = Stage::new();
    let (mut first, mut second) = (stage.worker(), stage.worker());
    let early = first.call(Function::Lock, "row", Work::held());
    stage.until_loads("row", 1);

    first.stop();
    let answer = second.get(Function::Lock, "row", Work::held());
    assert_eq!((answer.load, answer.kind.as_str()), (Ok(2), "Computed"));

    stage.open_gate("row");
    first.resume();
    assert_eq!(first.answer(early).load, Ok(1), "its own caller came before the other load");
    assert_eq!(first.count().older, 1, "the late commit was refused");
    assert_eq!(second.peek(Function::Lock, "row"), Some(2));
    assert_eq!(stage.loads("row"), 2);
}

#[test]
fn when_the_holder_is_killed_another_process_delivers() {
    let mut stage = Stage::new();
    let mut holder = stage.worker();
    let _ = holder.call(Function::Lock, "row", Work::held());
    stage.until_loads("row", 1);

    let mut others = stage.workers(3);
    let calls: Vec<_> = others
        .iter_mut()
        .map(|other| {
            let call = other.call(Function::Lock, "row", Work::held());
            until_in_line(other);
            call
        })
        .collect();
    holder.kill();

    for (other, call) in others.iter_mut().zip(calls) {
        assert_eq!(other.answer(call).load, Ok(2));
    }
    assert_eq!(stage.loads("row"), 2);
}

#[test]
fn a_loader_that_blocks_its_thread_past_the_lease_is_stored() {
    let blocking = Work { blocks: Duration::from_secs(4), ..Work::default() };
    let mut stage = Stage::with(|setup| setup.lease = Duration::from_secs(3));
    let (mut first, mut second) = (stage.worker(), stage.worker());
    let leads = first.call(Function::Lock, "row", blocking);
    stage.until_loads("row", 1);
    let waits = second.call(Function::Lock, "row", blocking);
    assert_eq!(first.answer(leads).load, Ok(1));
    let stored = first.peek(Function::Lock, "row");
    assert_eq!(stored, Some(1), "the load was stored although its lease had lapsed");
    assert!(second.answer(waits).load.is_ok());
    let loads = stage.loads("row");
    assert!(loads <= 2, "{loads} loads");

    for worker in [&mut first, &mut second] {
        assert_eq!(worker.get(Function::Lock, "row", blocking).kind, "Hit");
    }
    assert_eq!(stage.loads("row"), loads, "no endless reloading");
}
