//! The time limit of one run of a loader.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::error::LoadFailed;
use crate::events::{Counters, Event};
use crate::policy::Policy;
use crate::registry::CachedFn;

/// How long a loader may run, from now. Compiled once: what knows the loader's type is with the caller.
pub(crate) struct Limit {
    function: &'static CachedFn,
    end: Option<(Pin<Box<Sleep>>, Duration)>,
}

impl Limit {
    pub(crate) fn new(policy: &Policy, function: &'static CachedFn) -> Self {
        Self { function, end: policy.limit().map(|span| (Box::pin(sleep(span)), span)) }
    }

    /// Says when time is up, once, and counts that.
    pub(crate) fn poll_over(
        &mut self,
        cx: &mut Context<'_>,
        counters: &Counters,
    ) -> Poll<LoadFailed> {
        let Some((sleep, span)) = &mut self.end else { return Poll::Pending };
        sleep.as_mut().poll(cx).map(|()| {
            counters.add(Event::LoadTimedOut);
            LoadFailed::timed_out(self.function.name(), *span)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn, ready};
    use tokio::time::Instant;

    use super::*;

    static FUNCTION: CachedFn = CachedFn::new("f", "", 0);

    async fn run<F: Future>(timeout: Duration, run: F) -> (Result<F::Output, LoadFailed>, u64) {
        let (policy, counters) = (Policy::ttl(timeout).timeout(timeout), Counters::default());
        let (mut limit, mut run) = (Limit::new(&policy, &FUNCTION), Box::pin(run));
        let output = poll_fn(|cx| match run.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => limit.poll_over(cx, &counters).map(Err),
        });
        (output.await, counters.get(Event::LoadTimedOut))
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
