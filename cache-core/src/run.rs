//! A call from its first poll to its answer: the typed shell around the untyped engine.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::Handle;
use tracing::Instrument as _;

use crate::behind::Behind;
use crate::cache::{self, Cache};
use crate::codec::Value;
use crate::flight::Shared;
use crate::handover::{Handover, Job};
use crate::key::Key;
use crate::load::{Lead, Settled};
use crate::loader::{Background, Body, Done, Loading, Mine, Slot, Split, Start, job, settle};
use crate::meaning::{Meaning, Share, take};
use crate::outcome::{Kind, Outcome};
use crate::policy::Policy;
use crate::read::{Ask, Served, Step};
use crate::registry::CachedFn;
use crate::target::{Target, ValueType};

/// What a call is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Read through.
    Read,
    /// Recompute now.
    Refresh,
    /// The loader alone.
    Bypass,
}

thread_local! {
    /// Set around the first poll of a call, taken by the first statement of its future.
    pub(crate) static MODE: Cell<Mode> = const { Cell::new(Mode::Read) };
    /// Set by the last statement of a call's future, read in the same poll.
    pub(crate) static OUTCOME: Cell<Option<Outcome>> = const { Cell::new(None) };
}

/// Which cache a call uses.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// The scope's, else the installed one, else the built-in one.
    Default,
    /// The scope's, else the one of this name.
    Named(&'static str),
    /// This one.
    Given(Cache),
}

/// A call without its types.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) function: &'static CachedFn,
    pub(crate) key: Key,
    pub(crate) policy: PolicySource,
    pub(crate) value_type: ValueType,
    pub(crate) choice: Choice,
}

/// Settings are expressions, evaluated at each look-up; or fixed by a caller without the macro.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PolicySource {
    Evaluated(fn() -> Policy),
    Fixed(Policy),
}

impl Site {
    pub(crate) fn cache(&self) -> Cache {
        let shared = self.value_type.coding.is_some();
        match &self.choice {
            Choice::Given(cache) => cache.clone(),
            Choice::Named(name) => cache::resolve(Some(name), self.function.name(), shared),
            Choice::Default => cache::resolve(None, self.function.name(), shared),
        }
    }

    pub(crate) fn target(&self, cache: &Cache) -> Target {
        let policy = match self.policy {
            PolicySource::Evaluated(policy) => policy(),
            PolicySource::Fixed(policy) => policy,
        };
        let tiers = Arc::clone(&cache.tiers);
        Target::new(tiers, self.function, self.key.clone(), policy, self.value_type)
    }
}

/// What a call comes to once it has looked: compiled once, like all that does not know the
/// function's types.
enum Plan {
    Ended(Ended),
    /// Answer with the leader's error.
    Failed(Shared, Outcome),
    /// Run the loader.
    Load(Load),
}

enum Load {
    /// And nothing else.
    Alone {
        degraded: bool,
    },
    Lead(Box<Lead>, Outcome),
    /// For the others; there is something to serve.
    Behind(Box<Behind>, Served),
}

/// An answer without its type; no value: the leader's own output.
struct Ended {
    value: Option<Value>,
    mine: Option<Mine>,
    outcome: Outcome,
}

async fn begin(site: Site) -> (Cache, Plan) {
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

/// The future inside a [`Call`](crate::Call). One for each function, so it only moves what has the
/// function's types in and out.
pub(crate) async fn run<M: Meaning, L: Loading<M::Output>>(
    site: Site,
    share: Share<M::Error>,
    loading: L,
) -> M::Output {
    let (cache, plan) = begin(site).await;
    let (mine, ended) = match settled::<M>(plan, share) {
        Ok(answer) => answer,
        Err(load) => perform::<M, L>(load, share, loading).await,
    };
    tell(&cache, ended.outcome);
    output::<M>(mine, ended)
}

/// The leader's own output where it is at hand, and the rest of the answer.
type Answer<R> = (Option<R>, Ended);

/// The answer of a call that runs no loader.
fn settled<M: Meaning>(plan: Plan, share: Share<M::Error>) -> Result<Answer<M::Output>, Load> {
    match plan {
        Plan::Ended(ended) => Ok((None, ended)),
        Plan::Failed(shared, outcome) => match (share.take)(&shared) {
            Some(error) => Ok((Some(M::err(error)), Ended::mine(None, outcome))),
            None => Err(Load::Alone { degraded: false }),
        },
        Plan::Load(load) => Err(load),
    }
}

fn tell(cache: &Cache, outcome: Outcome) {
    cache.tiers.counters.add(outcome.kind.event());
    OUTCOME.set(Some(outcome));
}

fn output<M: Meaning>(mine: Option<M::Output>, ended: Ended) -> M::Output {
    if let Some(value) = ended.value {
        return M::ok(take(value));
    }
    let mine = match ended.mine {
        Some(mut sent) => sent.downcast_mut::<Option<M::Output>>().and_then(Option::take),
        None => mine,
    };
    mine.expect("a lead settles, and an error keeps its output")
}

/// Runs the loader: where it can be finished without this caller, so that it will be.
async fn perform<M: Meaning, L: Loading<M::Output>>(
    load: Load,
    share: Share<M::Error>,
    loading: L,
) -> Answer<M::Output> {
    let loading = match detachable(loading, load.leaves()) {
        Ok(background) => return (None, load.leave(body::<M>(background, share)).await),
        Err(loading) => loading,
    };
    let mut started = match load.start().await {
        Ok(started) => started,
        Err(ended) => return (None, ended),
    };
    let output = match &mut started.lead {
        Some(lead) => lead.beside(loading.here()).await,
        None => return (Some(loading.here().await), started.alone()),
    };
    let (mine, split) = split::<M>(output, share);
    (mine, started.settle(split).await)
}

fn detachable<R, L: Loading<R>>(loading: L, wanted: bool) -> Result<Background<R>, L> {
    if wanted { loading.away() } else { Err(loading) }
}

fn split<M: Meaning>(output: M::Output, share: Share<M::Error>) -> (Option<M::Output>, Split) {
    match M::split(output) {
        Ok(value) => (None, Split::Value(Arc::new(value))),
        Err(error) => {
            let (mine, shared) = (share.split)(error, share.function);
            (Some(M::err(mine)), Split::Error(None, shared))
        }
    }
}

fn body<M: Meaning>(background: Background<M::Output>, share: Share<M::Error>) -> Body {
    let Background { loader, erase } = background;
    Box::pin(Apart::<M> { loader, erase, share })
}

/// A loader whose output is taken apart where it ends. No `async` block: a tenth of the code.
struct Apart<M: Meaning> {
    loader: Pin<Box<dyn Future<Output = M::Output> + Send>>,
    erase: fn(M::Output) -> Mine,
    share: Share<M::Error>,
}

impl<M: Meaning> Future for Apart<M> {
    type Output = Split;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Split> {
        let output = ready!(self.loader.as_mut().poll(cx));
        Poll::Ready(match split::<M>(output, self.share) {
            (Some(mine), Split::Error(_, shared)) => Split::Error(Some((self.erase)(mine)), shared),
            (_, split) => split,
        })
    }
}

impl Load {
    /// Whether the loader should go where it can be finished without this caller.
    fn leaves(&self) -> bool {
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
                let job = in_scope(Box::pin(job(Start::Behind(behind), body, slot)));
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(job.in_current_span());
                }
                served.into()
            }
        }
    }

    /// Gets ready to run the load in this caller. An answer: somebody else refreshes.
    async fn start(self) -> Result<Started, Ended> {
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
struct Started {
    lead: Option<Box<Lead>>,
    outcome: Outcome,
    /// What is there when a refresh fails.
    served: Option<Served>,
}

impl Started {
    fn alone(self) -> Ended {
        Ended::mine(None, self.outcome)
    }

    async fn settle(self, split: Split) -> Ended {
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

    fn mine(mine: Option<Mine>, outcome: Outcome) -> Self {
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
