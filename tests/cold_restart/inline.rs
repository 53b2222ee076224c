//! Loads that cannot leave their caller, because they borrow from it or use `self`: they are lost
//! with it.
//!
//! Without a cap that is the failure of a map with ends, a few times slower: while more keys are
//! missing than the backend can load before callers go away, every load is lost, so they go on
//! missing. A cap served in the order of arrival would not help, nor would a backend that notices
//! who has left: each load would get its permit when its caller is about to go away. So where many
//! wait the last to come goes first, and then a capped load comes back like one that survives.
//!
//! The other way out is to let it survive: by `detach = true`, which copies what was borrowed, or by
//! arguments that own their data. A `timeout` alone is none.

use std::sync::Arc;

use crate::backend::Backend;
use crate::cached::{capped, detached, inline, uncapped};
use crate::scenario::{Fault, Report, run};
use crate::source::Source;

async fn report(fault: Fault, source: impl FnOnce(&Backend) -> Arc<dyn Source>) -> Report {
    let report = run(fault, source).await;
    println!("{report}");
    report
}

#[tokio::test(start_paused = true)]
async fn a_load_that_dies_with_its_caller_comes_back_if_it_is_capped() {
    for fault in [Fault::Flush, Fault::Slow, Fault::Surge] {
        let report = report(fault, |backend| inline(backend, &capped())).await;
        assert!(report.worst < 0.6, "the fault is not felt: {report}");
        assert!(report.is_back_in_time() && report.loads_as_before(), "{report}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_cap_it_never_comes_back_after_all_values_were_lost() {
    let report = report(Fault::Flush, |backend| inline(backend, &uncapped())).await;
    assert!(report.never_comes_back() && !report.loads_as_before(), "{report}");
}

#[tokio::test(start_paused = true)]
async fn without_a_cap_it_never_comes_back_after_the_backend_was_slow() {
    let report = report(Fault::Slow, |backend| inline(backend, &uncapped())).await;
    assert!(report.never_comes_back() && !report.loads_as_before(), "{report}");
}

#[tokio::test(start_paused = true)]
async fn without_a_cap_one_that_works_on_a_copy_comes_back_from_both() {
    for fault in [Fault::Flush, Fault::Slow] {
        let report = report(fault, |backend| detached(backend, &uncapped())).await;
        assert!(report.is_back_in_time() && report.loads_as_before(), "{report}");
    }
}
