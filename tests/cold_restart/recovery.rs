//! With a cap on its loads, the library comes back from each fault, whatever the strategy.

use std::sync::Arc;

use herdless::Cache;

use crate::backend::Backend;
use crate::cached::{ahead, capped, lock, xfetch};
use crate::scenario::{Fault, run};
use crate::setting::SETTING;
use crate::source::Source;

type Function = fn(&Backend, &Cache) -> Arc<dyn Source>;

async fn comes_back(fault: Fault) {
    let strategies: [(_, Function); 3] = [("lock", lock), ("ahead", ahead), ("xfetch", xfetch)];
    for (strategy, function) in strategies {
        let report = run(fault, |backend| function(backend, &capped())).await;
        println!("{strategy}: {report}");
        assert!(report.worst < 0.6, "{strategy}, the fault is not felt: {report}");
        assert!(report.is_back_in_time(), "{strategy}: {report}");
        assert!(report.loads_as_before(), "{strategy}: {report}");
        assert!(report.most_at_once <= SETTING.servers, "{strategy}: {report}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_all_values_were_lost_the_hit_ratio_is_back_in_time() {
    comes_back(Fault::Flush).await;
}

#[tokio::test(start_paused = true)]
async fn after_the_backend_was_slow_it_is_not_asked_for_more_than_before() {
    comes_back(Fault::Slow).await;
}

/// Hysteresis: under the load of before there is only the state of before.
#[tokio::test(start_paused = true)]
async fn after_more_was_asked_for_than_can_be_done_all_is_as_it_was() {
    comes_back(Fault::Surge).await;
}
