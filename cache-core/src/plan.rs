//! What a call does from its first poll to its answer. Compiled once: a function's types are with `run`.

mod load;

use std::future::{self, Future};
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::cache::Cache;
use crate::error::LoadFailed;
use crate::flight::Shared;
use crate::load::Poller;
use crate::loader::{Body, Split};
use crate::outcome::Outcome;
use crate::read::{Ask, Step};
use crate::site::{MODE, Mode, OUTCOME, Site};

use load::Started;
pub(crate) use load::{Ended, Load};

/// A call without its types.
pub(crate) struct Engine {
    site: Site,
    /// Once the call was polled.
    cache: Option<Cache>,
    stage: Stage,
}

type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Taken out while it is polled: a panic drops it.
enum Stage {
    New,
    Asking(Work<Step>),
    Starting(Work<Result<Started, Ended>>),
    Running(Box<Started>),
    Settling(Work<Ended>),
    Over,
}

/// What is to be done by whoever knows the function's types.
pub(crate) enum Turn {
    /// Answer with the leader's error.
    Failed(Shared, Outcome),
    /// Say whether the loader goes away, and [`start`](Engine::start).
    Load(Load),
    /// Make the loader: it is polled from now on.
    Run,
    /// It has ended, or its time is up. [`settle`](Engine::settle) with what it brought.
    Ran { late: Option<LoadFailed>, is_stored: bool },
    /// Answer.
    Ended(Ended),
}

impl Engine {
    pub(crate) fn new(site: Site) -> Self {
        Self { site, cache: None, stage: Stage::New }
    }

    /// Goes on until somebody who knows the function's types has something to do.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, loader: &mut Poller<'_>) -> Poll<Turn> {
        match mem::replace(&mut self.stage, Stage::Over) {
            Stage::New => self.begin(cx),
            Stage::Asking(asking) => self.asked(asking, cx),
            Stage::Starting(mut starting) => match starting.as_mut().poll(cx) {
                Poll::Pending => self.waits(Stage::Starting(starting)),
                Poll::Ready(Ok(started)) => {
                    self.stage = Stage::Running(Box::new(started));
                    Poll::Ready(Turn::Run)
                }
                Poll::Ready(Err(ended)) => Poll::Ready(Turn::Ended(ended)),
            },
            Stage::Running(mut started) => {
                let polled = started.poll(cx, loader);
                let is_stored = started.is_stored();
                self.stage = Stage::Running(started);
                Poll::Ready(Turn::Ran { late: ready!(polled).err(), is_stored })
            }
            Stage::Settling(mut settling) => match settling.as_mut().poll(cx) {
                Poll::Pending => self.waits(Stage::Settling(settling)),
                Poll::Ready(ended) => Poll::Ready(Turn::Ended(ended)),
            },
            Stage::Over => panic!("a call was polled after it had answered"),
        }
    }

    fn waits(&mut self, stage: Stage) -> Poll<Turn> {
        self.stage = stage;
        Poll::Pending
    }

    /// A hit in the process is answered here, without a box.
    fn begin(&mut self, cx: &mut Context<'_>) -> Poll<Turn> {
        let mode = MODE.replace(Mode::Read);
        let cache = self.cache.insert(self.site.cache());
        let sound = self.site.key.is_sound();
        if mode == Mode::Bypass || cache.disabled || !sound {
            return Poll::Ready(Turn::Load(Load::Alone { degraded: !sound }));
        }
        let mut ask = Ask::new(self.site.target(cache), mode == Mode::Refresh);
        match ask.kept() {
            Some(step) => Poll::Ready(step.into()),
            None => self.asked(Box::pin(ask.answer()), cx),
        }
    }

    fn asked(&mut self, mut asking: Work<Step>, cx: &mut Context<'_>) -> Poll<Turn> {
        match asking.as_mut().poll(cx) {
            Poll::Pending => self.waits(Stage::Asking(asking)),
            Poll::Ready(step) => Poll::Ready(step.into()),
        }
    }

    /// Sees to a load: in this caller, unless its loader went `away`.
    pub(crate) fn start(&mut self, load: Load, away: Option<Body>) {
        self.stage = Stage::Starting(match load {
            Load::Alone { degraded } => {
                let counters = Arc::clone(&self.cache().tiers.counters);
                let started = Started::alone(self.site.limit(), counters, degraded);
                Box::pin(future::ready(Ok(started)))
            }
            load => Box::pin(load.start(away)),
        });
    }

    /// Settles what ran here.
    pub(crate) fn settle(&mut self, split: Split) {
        if let Stage::Running(started) = mem::replace(&mut self.stage, Stage::Over) {
            self.stage = Stage::Settling(Box::pin(started.settle(split)));
        }
    }

    /// Counts the answer and leaves word of how it came.
    pub(crate) fn tell(&self, outcome: Outcome) {
        self.cache().tiers.counters.add(outcome.kind.event());
        OUTCOME.set(Some(outcome));
    }

    fn cache(&self) -> &Cache {
        self.cache.as_ref().expect("it is known since the first poll")
    }
}

impl From<Step> for Turn {
    fn from(step: Step) -> Self {
        match step {
            Step::Serve(served) => Self::Ended(served.into()),
            Step::Refresh(served, behind) => Self::Load(Load::Behind(behind, served)),
            Step::Alone => Self::Load(Load::Alone { degraded: false }),
            Step::Lead(lead, outcome) => Self::Load(Load::Lead(lead, outcome)),
            Step::Failed(shared, outcome) => Self::Failed(shared, outcome),
        }
    }
}
