//! A call from its first poll to its answer: the typed shell around the untyped engine.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tracing::Instrument as _;

use crate::behind::Behind;
use crate::cache::{self, Cache};
use crate::codec::Value;
use crate::handover::{Handover, Job};
use crate::key::Key;
use crate::limit::limited;
use crate::load::{Lead, Settled};
use crate::loader::{Background, Done, Loading, Slot, Split, Splitter, Start, load};
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
    /// The function has an error for a load that does not end in time.
    pub(crate) answers: bool,
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
        let tiers = Arc::clone(&cache.tiers);
        Target::new(tiers, self.function, self.key.clone(), self.policy(), self.value_type)
    }

    fn policy(&self) -> Policy {
        let policy = match self.policy {
            PolicySource::Evaluated(policy) => policy(),
            PolicySource::Fixed(policy) => policy,
        };
        if self.answers { policy } else { policy.timeout(Duration::ZERO) }
    }
}

/// The future inside a [`Call`](crate::Call).
pub(crate) async fn run<M: Meaning, L: Loading<M::Output>>(
    site: Site,
    share: Share<M::Error>,
    loading: L,
) -> M::Output {
    let mode = MODE.replace(Mode::Read);
    let cache = site.cache();
    // Boxes, except for a hit: arguments are held once, however deep they are handed down.
    let (output, outcome) = if mode == Mode::Bypass || cache.disabled || !site.key.is_sound() {
        Box::pin(bypass::<M, L>(&site, &cache, share, loading, !site.key.is_sound())).await
    } else {
        let mut ask = Ask::new(site.target(&cache), mode == Mode::Refresh);
        let step = match ask.kept() {
            Some(step) => step,
            None => Box::pin(ask.answer()).await,
        };
        match step {
            Step::Serve(served) => serve::<M>(served),
            Step::Refresh(served, behind) => {
                Box::pin(refresh::<M, L>(served, behind, share, loading)).await
            }
            Step::Lead(lead, outcome) => {
                answer::<M>(Box::pin(lead_with::<M, L>(lead, share, loading)).await, outcome)
            }
            Step::Failed(shared, outcome) => match share.error(&shared) {
                Some(error) => (M::err(error), outcome),
                None => Box::pin(bypass::<M, L>(&site, &cache, share, loading, false)).await,
            },
        }
    };
    cache.tiers.counters.add(outcome.kind.event());
    OUTCOME.set(Some(outcome));
    output
}

/// The loader alone, within its time limit.
async fn bypass<M: Meaning, L: Loading<M::Output>>(
    site: &Site,
    cache: &Cache,
    share: Share<M::Error>,
    loading: L,
    degraded: bool,
) -> (M::Output, Outcome) {
    let (policy, function) = (site.policy(), site.function);
    let run = limited(&policy, function, &cache.tiers.counters, loading.here()).await;
    let output = run.unwrap_or_else(|failed| M::err(share.late(failed)));
    (output, Outcome { kind: Kind::Bypassed, age: None, degraded, miss: None })
}

fn serve<M: Meaning>(served: Served) -> (M::Output, Outcome) {
    (M::ok(take(served.value)), served.outcome)
}

fn answer<M: Meaning>(done: Done<M::Output>, outcome: Outcome) -> (M::Output, Outcome) {
    match done {
        Done::Settled(Settled::Value(value, stored), _) => {
            let age = stored.then_some(Duration::ZERO);
            (M::ok(take(value)), Outcome { kind: Kind::Computed, age, ..outcome })
        }
        Done::Settled(Settled::LastResort(value, age), _) => {
            let age = Some(age);
            (M::ok(take(value)), Outcome { kind: Kind::StaleOnError, age, ..outcome })
        }
        Done::Settled(Settled::Error, Some(output)) => (output, outcome),
        Done::Settled(Settled::Error, None) | Done::NotDue => {
            unreachable!("a lead settles, and an error keeps its output")
        }
    }
}

fn splitter<M: Meaning>(share: Share<M::Error>) -> Splitter<M::Output> {
    Box::new(move |output| match output.map(M::split) {
        Ok(Ok(value)) => Split::Value(Arc::new(value) as Value),
        Ok(Err(error)) => {
            let (mine, shared) = (share.split)(error, share.function);
            Split::Error(M::err(mine), shared)
        }
        Err(failed) => {
            let shared = Arc::new(failed.clone());
            Split::Error(M::err(share.late(failed)), Some(shared))
        }
    })
}

/// Runs a granted load: where it can be finished without this caller, so that it will be.
async fn lead_with<M: Meaning, L: Loading<M::Output>>(
    lead: Box<Lead>,
    share: Share<M::Error>,
    loading: L,
) -> Done<M::Output> {
    let loading = match detachable(loading, lead.target().policy.detach) {
        Ok(background) => {
            let (slot, target) = (Slot::new(), lead.target().clone());
            let job = background.job(Start::Lead(lead), splitter::<M>(share), slot.share());
            Handover::new(target, in_scope(job)).await;
            return slot.take().expect("a job that ends leaves its result");
        }
        Err(loading) => loading,
    };
    Box::pin(load(Start::Lead(lead), splitter::<M>(share), loading.here())).await
}

fn detachable<R, L: Loading<R>>(loading: L, wanted: bool) -> Result<Background<R>, L> {
    if wanted { loading.away() } else { Err(loading) }
}

/// Serves what is there and refreshes it: behind the caller where that is possible.
async fn refresh<M: Meaning, L: Loading<M::Output>>(
    served: Served,
    behind: Box<Behind>,
    share: Share<M::Error>,
    loading: L,
) -> (M::Output, Outcome) {
    let target = behind.target();
    let wanted = target.policy.refresh_behind && !target.function.refreshes_inline();
    let runtime = Handle::try_current();
    let loading = match (detachable(loading, wanted && runtime.is_ok()), runtime) {
        (Ok(background), Ok(runtime)) => {
            let job = background.job(Start::Behind(behind), splitter::<M>(share), Slot::new());
            runtime.spawn(in_scope(job).in_current_span());
            return serve::<M>(served);
        }
        (Ok(_), Err(_)) => return serve::<M>(served),
        (Err(loading), _) => loading,
    };
    let Some(lead) = Box::pin(behind.begin(false)).await else { return serve::<M>(served) };
    let start = Start::Lead(Box::new(lead));
    let done = Box::pin(load(start, splitter::<M>(share), loading.here())).await;
    match done {
        Done::Settled(Settled::Value(..), _) => answer::<M>(done, served.outcome),
        _ => serve::<M>(served), // it failed: what is there is still good
    }
}

/// A part of a call that is spawned runs under the same cache.
fn in_scope(job: Job) -> Job {
    match cache::scope() {
        Some(cache) => Box::pin(cache::with_cache(cache, job)),
        None => job,
    }
}
