//! What a call does once it has looked. Compiled once: a function's types are with `run`.

use std::time::Duration;

use tokio::runtime::Handle;
use tracing::Instrument as _;

use crate::behind::Behind;
use crate::cache::{self, Cache};
use crate::codec::Value;
use crate::error::LoadFailed;
use crate::flight::Shared;
use crate::handover::{Handover, Job};
use crate::load::{Lead, Settled};
use crate::loader::{Body, Done, Mine, Slot, Split, Start, job, settle};
use crate::outcome::{Kind, Outcome};
use crate::read::{Ask, Served, Step};
use crate::site::{MODE, Mode, OUTCOME, Site};

/// What a call comes to once it has looked.
pub(crate) enum Plan {
    Ended(Ended),
    /// Answer with the leader's error.
    Failed(Shared, Outcome),
    /// Run the loader.
    Load(Load),
}

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

pub(crate) async fn begin(site: &Site) -> (Cache, Plan) {
    let mode = MODE.replace(Mode::Read);
    let cache = site.cache();
    let sound = site.key.is_sound();
    if mode == Mode::Bypass || cache.disabled || !sound {
        return (cache, Plan::Load(Load::Alone { degraded: !sound }));
    }
    let mut ask = Ask::new(site.target(&cache), mode == Mode::Refresh);
    let step = match ask.kept() {
        Some(step) => step,
        None => Box::pin(ask.answer()).await,
    };
    let plan = match step {
        Step::Serve(served) => Plan::Ended(served.into()),
        Step::Refresh(served, behind) => Plan::Load(Load::Behind(behind, served)),
        Step::Lead(lead, outcome) => Plan::Load(Load::Lead(lead, outcome)),
        Step::Failed(shared, outcome) => Plan::Failed(shared, outcome),
    };
    (cache, plan)
}

pub(crate) fn tell(cache: &Cache, outcome: Outcome) {
    cache.tiers.counters.add(outcome.kind.event());
    OUTCOME.set(Some(outcome));
}

impl Load {
    /// Whether the loader should go where it can be finished without this caller.
    pub(crate) fn leaves(&self) -> bool {
        match self {
            Self::Alone { .. } => false,
            Self::Lead(lead, _) => lead.target().policy.detach,
            Self::Behind(behind, _) => {
                let target = behind.target();
                let wanted = target.policy.refresh_behind && !target.function.refreshes_inline();
                wanted && Handle::try_current().is_ok()
            }
        }
    }

    /// Runs the load as a job; a caller that has something to serve does not wait for it.
    pub(crate) async fn leave(self, body: Body) -> Ended {
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
                let job = in_scope(Box::pin(job(Start::Behind(behind), body, slot)));
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(job.in_current_span());
                }
                served.into()
            }
        }
    }

    /// Gets ready to run the load in this caller. An answer: somebody else refreshes.
    pub(crate) async fn start(self) -> Result<Started, Ended> {
        match self {
            Self::Alone { degraded } => {
                let outcome = Outcome { kind: Kind::Bypassed, age: None, degraded, miss: None };
                Ok(Started { lead: None, outcome, served: None })
            }
            Self::Lead(lead, outcome) => Ok(Started { lead: Some(lead), outcome, served: None }),
            Self::Behind(behind, served) => match Box::pin(behind.begin(false)).await {
                Some(lead) => {
                    let outcome = served.outcome;
                    Ok(Started { lead: Some(Box::new(lead)), outcome, served: Some(served) })
                }
                None => Err(served.into()),
            },
        }
    }
}

/// A load that runs in its caller.
pub(crate) struct Started {
    pub(crate) lead: Option<Box<Lead>>,
    pub(crate) outcome: Outcome,
    /// What is there when a refresh fails.
    served: Option<Served>,
}

impl Started {
    pub(crate) fn alone(self, late: Option<LoadFailed>) -> Ended {
        Ended::mine(late.map(Mine::Late), self.outcome)
    }

    pub(crate) async fn settle(self, split: Split) -> Ended {
        let Self { lead, outcome, served } = self;
        let done = settle(lead.expect("only a lead settles"), split).await;
        match (done, served) {
            (done @ Done::Settled(Settled::Value(..), _), _) | (done, None) => {
                answer(done, outcome)
            }
            (_, Some(served)) => served.into(), // it failed: what is there is still good
        }
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
