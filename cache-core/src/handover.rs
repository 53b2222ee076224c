//! A load that its caller leaves goes on in a task of its own.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tracing::Instrument as _;

use crate::events::Event;
use crate::target::Target;

/// Lets a started load go on in a task of its own when its caller leaves.
pub(crate) struct Handover {
    job: Option<Job>,
    span: tracing::Span,
    target: Target,
}

/// A load with all that belongs to it, its result delivered on the side.
pub(crate) type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Handover {
    pub(crate) fn new(target: Target, job: Job) -> Self {
        Self { job: Some(job), span: tracing::Span::current(), target }
    }
}

impl Future for Handover {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut job = self.job.take().expect("not polled after it was ready"); // a panic drops it
        let poll = job.as_mut().poll(cx);
        if poll.is_pending() {
            self.job = Some(job);
        }
        poll
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        let Some(job) = self.job.take() else { return };
        if self.target.tiers.running.load_behind(job.instrument(self.span.clone())) {
            self.target.count(Event::LoadDetached);
        }
    }
}
