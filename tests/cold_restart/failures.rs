//! The controls: what lacks one of the library's bounds fails the same criterion. One fault a test,
//! since it would leave its queue to the next one.

use std::sync::Arc;

use crate::backend::Backend;
use crate::cached::{ahead, lock, uncapped};
use crate::controls::{Naive, Uncapped};
use crate::scenario::{Fault, Report, run};
use crate::source::Source;

async fn report(fault: Fault, source: impl FnOnce(&Backend) -> Arc<dyn Source>) -> Report {
    let report = run(fault, source).await;
    println!("{report}");
    report
}

#[tokio::test(start_paused = true)]
async fn a_map_with_ends_never_comes_back_after_all_values_were_lost() {
    let report = report(Fault::Flush, Naive::over).await;
    assert!(report.never_comes_back() && !report.loads_as_before(), "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_map_with_ends_never_comes_back_after_the_backend_was_slow() {
    let report = report(Fault::Slow, Naive::over).await;
    assert!(report.never_comes_back() && !report.loads_as_before(), "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_map_with_ends_never_comes_back_after_more_was_asked_for_than_can_be_done() {
    let report = report(Fault::Surge, Naive::over).await;
    assert!(report.never_comes_back() && !report.loads_as_before(), "{report}");
}

/// Its hit ratio looks better than ever, and its loads take as long as its refreshes make them.
#[tokio::test(start_paused = true)]
async fn an_early_refresh_without_a_bound_keeps_the_backend_busy_after_it_was_slow() {
    let report = report(Fault::Slow, Uncapped::over).await;
    assert!(report.is_back_in_time() && !report.loads_as_before(), "{report}");
}

#[tokio::test(start_paused = true)]
async fn an_early_refresh_without_a_bound_never_comes_back_after_too_much_was_asked_for() {
    let report = report(Fault::Surge, Uncapped::over).await;
    assert!(report.never_comes_back(), "{report}");
}

/// Loads are finished without their callers, so whatever was asked for during the surge is loaded
/// after it, first come, first served: minutes of work that nobody waits for any more.
#[tokio::test(start_paused = true)]
async fn without_a_cap_too_much_that_was_asked_for_is_worked_off_first() {
    let report = report(Fault::Surge, |backend| lock(backend, &uncapped())).await;
    assert!(report.never_comes_back(), "{report}");
}

/// The cost of a load, which says how early to refresh, then includes the queue at the backend; with
/// a cap, loads queue before they are measured. No refresh comes before the last fifth of a life, so
/// there are at most 5/4 as many.
#[tokio::test(start_paused = true)]
async fn without_a_cap_an_early_refresh_asks_for_more_than_before_within_its_bound() {
    let report = report(Fault::Flush, |backend| ahead(backend, &uncapped())).await;
    assert!(report.is_back_in_time() && !report.loads_as_before(), "{report}");
    assert!(report.load_rate() <= 1.25, "{report}");
}
