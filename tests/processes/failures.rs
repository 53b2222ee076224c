//! Loads that leave nothing stored, in eight processes: two rounds of them, not eight in turn.

use std::time::Duration;

use crate::control::Worker;
use crate::protocol::{Answer, Function, Work};
use crate::stage::{Stage, until_in_line};

/// The first load waits until everybody is in line, the others run long enough to overlap.
fn held() -> Work {
    Work { takes: Duration::from_millis(300), ..Work::held() }
}

/// Three callers in each of eight processes wait for a load; how they are answered once it ends.
fn answers(
    stage: &mut Stage,
    workers: &mut [Worker],
    function: Function,
    work: Work,
) -> Vec<Answer> {
    let calls: Vec<_> = workers
        .iter_mut()
        .map(|worker| {
            let calls = [(); 3].map(|()| worker.call(function, "row", work));
            until_in_line(worker);
            calls
        })
        .collect();
    stage.until_loads("row", 1);
    stage.open_gate("row");
    let each = workers.iter_mut().zip(calls);
    each.flat_map(|(worker, calls)| calls.map(|call| worker.answer(call))).collect()
}

fn took_two_rounds(stage: &mut Stage) {
    let loads = stage.loads("row");
    assert!(loads <= 16, "{loads} loads");
    let rounds = stage.rounds("row");
    assert!(rounds <= 2, "{rounds} rounds");
    assert!(stage.overlap("row") > 1, "after the first failure processes load side by side");
}

fn failing(function: Function) {
    let mut stage = Stage::with(|setup| setup.lease = Duration::from_secs(3));
    let mut workers = stage.workers(8);
    let work = Work { fails: true, ..held() };
    for answer in answers(&mut stage, &mut workers, function, work) {
        let error = answer.load.expect_err("every load fails");
        assert!(error.contains("load "), "the loader's own error is lost: {error}");
    }
    took_two_rounds(&mut stage);
    assert_eq!(workers[0].peek(function, "row"), None, "an error is not stored");
}

#[test]
fn a_failing_load_is_over_in_two_rounds_where_errors_are_cloned() {
    failing(Function::Lock);
}

#[test]
fn a_failing_load_is_over_in_two_rounds_where_errors_are_shared() {
    failing(Function::SharingErrors);
}

#[test]
fn a_value_over_the_size_limit_is_answered_in_two_rounds() {
    let mut stage = Stage::with(|setup| setup.lease = Duration::from_secs(3));
    let mut workers = stage.workers(8);
    let work = Work { size: 9 << 20, ..held() };
    for answer in answers(&mut stage, &mut workers, Function::Lock, work) {
        assert!(answer.load.is_ok(), "{answer:?}");
    }
    took_two_rounds(&mut stage);
    assert_eq!(workers[0].peek(Function::Lock, "row"), None, "it is not stored");
    let counted: u64 = workers.iter_mut().map(|worker| worker.count().too_large).sum();
    assert_eq!(counted, stage.loads("row"), "each load was counted as too large");
}
