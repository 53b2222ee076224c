//! A load that a call has to see to, in this caller or away from it.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Handle;
use tracing::Instrument as _;

use crate::behind::Behind;
use crate::cache;
use crate::codec::Value;
use crate::error::LoadFailed;
use crate::events::Counters;
use crate::handover::{Handover, Job};
use crate::limit::Limit;
use crate::load::{Beside, Lead, Poller, Settled};
use crate::loader::{Body, Done, Mine, Slot, Split, Start, job, settle};
use crate::outcome::{Kind, Outcome};
use crate::read::Served;

pub(crate) enum Load {
    /// And nothing else.
    Alone {
        degraded: bool,
    },
    Lead(Box<Lead>, Outcome),
    /// For the others; there is something to serve.
    Behind(Box<Behind>, Served),
}

/// An answer without its type; no value: the leader's own output.
pub(crate) struct Ended {
    pub(crate) value: Option<Value>,
    pub(crate) mine: Option<Mine>,
    pub(crate) outcome: Outcome,
}

impl Load {
    /// Whether the loader should go where it can be finished without this caller.
    pub(crate) fn leaves(&self) -> bool {
        match self {
            Self::Alone { .. } => false,
            Self::Lead(lead, _) => {
                let target = lead.target();
                target.policy.detach && !target.tiers.running.is_closed()
            }
            Self::Behind(behind, _) => {
                let target = behind.target();
                let wanted = target.policy.refresh_behind && !target.function.refreshes_inline();
                wanted && !target.tiers.running.is_closed() && Handle::try_current().is_ok()
            }
        }
    }

    /// Runs the load as a job; a caller that has something to serve does not wait for it.
    async fn leave(self, body: Body) -> Ended {
        let slot = Slot::default();
        match self {
            Self::Alone { .. } => unreachable!("it never leaves"),
            Self::Lead(lead, outcome) => {
                let target = lead.target().clone();
                let job = Box::pin(job(Start::Lead(lead), body, slot.clone()));
                Handover::new(target, in_scope(job)).await;
                answer(slot.take().expect("a job that ends leaves its result"), outcome)
            }
            Self::Behind(behind, served) => {
                let running = Arc::clone(&behind.target().tiers.running);
                let job = in_scope(Box::pin(job(Start::Behind(behind), body, slot)));
                running.load_behind(job.in_current_span());
                served.into()
            }
        }
    }

    /// Gets ready to run the load in this caller, unless it goes away. An answer: it went, or
    /// somebody else refreshes.
    pub(super) async fn start(self, away: Option<Body>) -> Result<Started, Ended> {
        if let Some(body) = away {
            return Err(self.leave(body).await);
        }
        match self {
            Self::Alone { .. } => unreachable!("it is started by itself"),
            Self::Lead(lead, outcome) => Ok(Started::lead(lead, outcome, None)),
            Self::Behind(behind, served) => match Box::pin(behind.begin(false)).await {
                Some(lead) => Ok(Started::lead(Box::new(lead), served.outcome, Some(served))),
                None => Err(served.into()),
            },
        }
    }
}

/// A loader that runs in its caller.
pub(crate) struct Started {
    runs: Runs,
    outcome: Outcome,
    /// What is there when a refresh fails.
    served: Option<Served>,
}

enum Runs {
    Alone(Limit, Arc<Counters>),
    Lead(Beside),
}

impl Started {
    /// A loader and nothing else.
    pub(super) fn alone(limit: Limit, counters: Arc<Counters>, degraded: bool) -> Self {
        let outcome = Outcome { kind: Kind::Bypassed, age: None, degraded, miss: None };
        Self { runs: Runs::Alone(limit, counters), outcome, served: None }
    }

    fn lead(lead: Box<Lead>, outcome: Outcome, served: Option<Served>) -> Self {
        Self { runs: Runs::Lead(Beside::new(lead)), outcome, served }
    }

    /// Whether what it brings is for others too.
    pub(crate) fn is_stored(&self) -> bool {
        matches!(self.runs, Runs::Lead(_))
    }

    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        loader: &mut Poller<'_>,
    ) -> Poll<Result<(), LoadFailed>> {
        match &mut self.runs {
            Runs::Lead(beside) => beside.poll(cx, loader),
            Runs::Alone(limit, counters) => match loader(cx) {
                Poll::Ready(()) => Poll::Ready(Ok(())),
                Poll::Pending => limit.poll_over(cx, counters).map(Err),
            },
        }
    }

    pub(crate) async fn settle(self, split: Split) -> Ended {
        let Self { runs, outcome, served } = self;
        let mine = match (runs, split) {
            (Runs::Lead(beside), split) => {
                return landed(beside.done(), split, outcome, served).await;
            }
            (Runs::Alone(..), Split::Late(failed)) => Some(Mine::Late(failed)),
            (Runs::Alone(..), _) => None,
        };
        Ended::mine(mine, outcome)
    }
}

async fn landed(lead: Box<Lead>, split: Split, outcome: Outcome, served: Option<Served>) -> Ended {
    match (settle(lead, split).await, served) {
        (done @ Done::Settled(Settled::Value(..), _), _) | (done, None) => answer(done, outcome),
        (_, Some(served)) => served.into(), // it failed: what is there is still good
    }
}

impl Ended {
    fn value(value: Value, outcome: Outcome) -> Self {
        Self { value: Some(value), mine: None, outcome }
    }

    pub(crate) fn mine(mine: Option<Mine>, outcome: Outcome) -> Self {
        Self { value: None, mine, outcome }
    }
}

impl From<Served> for Ended {
    fn from(Served { value, outcome }: Served) -> Self {
        Self::value(value, outcome)
    }
}

fn answer(done: Done, outcome: Outcome) -> Ended {
    match done {
        Done::Settled(Settled::Value(value, stored), _) => {
            let age = stored.then_some(Duration::ZERO);
            Ended::value(value, Outcome { kind: Kind::Computed, age, ..outcome })
        }
        Done::Settled(Settled::LastResort(value, age), _) => {
            let age = Some(age);
            Ended::value(value, Outcome { kind: Kind::StaleOnError, age, ..outcome })
        }
        Done::Settled(Settled::Error, mine) => Ended::mine(mine, outcome),
        Done::NotDue => unreachable!("a lead settles"),
    }
}

/// A part of a call that is spawned runs under the same cache.
fn in_scope(job: Job) -> Job {
    match cache::scope() {
        Some(cache) => Box::pin(cache::with_cache(cache, job)),
        None => job,
    }
}
