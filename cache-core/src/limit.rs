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

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::*;

    static FUNCTION: CachedFn = CachedFn::new("f", "", 0);

    async fn run<F: Future>(timeout: Duration, run: F) -> (Result<F::Output, LoadFailed>, u64) {
        let (policy, counters) = (Policy::ttl(timeout).timeout(timeout), Counters::default());
        let output = limited(&policy, &FUNCTION, &counters, run).await;
        (output, counters.get(Event::LoadTimedOut))
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_ends_with_its_time() {
        let started = Instant::now();
        let (late, counted) = run(Duration::from_secs(7), pending::<()>()).await;
        assert!(late.unwrap_err().is_timeout());
        assert_eq!((counted, started.elapsed().as_secs()), (1, 7));
    }

    #[tokio::test(start_paused = true)]
    async fn zero_is_no_limit_and_any_span_is_possible() {
        for timeout in [Duration::ZERO, Duration::MAX] {
            let (output, counted) = run(timeout, sleep(Duration::from_secs(86_400))).await;
            assert!(output.is_ok() && counted == 0);
        }
        assert!(run(Duration::from_nanos(1), ready(())).await.0.is_ok(), "what is there counts");
    }
}
