//! The time limit of one run of a loader.

use std::future::Future;

use tokio::time::timeout;

use crate::error::LoadFailed;
use crate::events::{Counters, Event};
use crate::policy::Policy;
use crate::registry::CachedFn;

/// Runs `run` for as long as the policy allows. When time is up it is dropped, and counted.
pub(crate) async fn limited<F: Future>(
    policy: &Policy,
    function: &CachedFn,
    counters: &Counters,
    run: F,
) -> Result<F::Output, LoadFailed> {
    let Some(limit) = policy.limit() else { return Ok(run.await) };
    timeout(limit, run).await.map_err(|_| {
        counters.add(Event::LoadTimedOut);
        LoadFailed::timed_out(function.name(), limit)
    })
}
