//! Loads that cannot leave their caller, because they borrow from it or use `self`.
//!
//! A load is lost with the caller that runs it. While more keys are missing than the backend can
//! load before callers go away, every load begins late in its caller's patience and is lost, so
//! they go on missing: a cap on the loads does not help, and neither does a backend that notices who
//! has left. This is the failure of a map with ends, a few times slower.
//!
//! Two things end it. A load may be made to survive: by `detach = true`, which copies what was
//! borrowed, or by arguments that own their data. Or it may be kept from beginning late: a `timeout`
//! of half of what callers wait for, which limits the wait for a permit as well.

use std::sync::Arc;

use herdless::Cache;

use crate::backend::Backend;
use crate::cached::{capped, detached, inline, punctual};
use crate::scenario::{Fault, run};
use crate::source::Source;

async fn never_comes_back(fault: Fault) {
    let report = run(fault, |backend| inline(backend, &capped())).await;
    println!("{report}");
    assert!(report.never_comes_back() && !report.loads_as_before(), "{report}");
}

async fn comes_back(function: fn(&Backend, &Cache) -> Arc<dyn Source>) {
    for fault in [Fault::Flush, Fault::Slow, Fault::Surge] {
        let report = run(fault, |backend| function(backend, &capped())).await;
        println!("{report}");
        assert!(report.worst < 0.5, "the fault is not felt: {report}");
        assert!(report.is_back_in_time() && report.loads_as_before(), "{report}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_load_that_dies_with_its_caller_never_comes_back_after_all_values_were_lost() {
    never_comes_back(Fault::Flush).await;
}

#[tokio::test(start_paused = true)]
async fn a_load_that_dies_with_its_caller_never_comes_back_after_the_backend_was_slow() {
    never_comes_back(Fault::Slow).await;
}

#[tokio::test(start_paused = true)]
async fn a_load_that_works_on_a_copy_comes_back() {
    comes_back(detached).await;
}

#[tokio::test(start_paused = true)]
async fn a_load_that_does_not_begin_late_comes_back() {
    comes_back(punctual).await;
}
