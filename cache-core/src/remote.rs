//! The store of a cache, behind breakers, and what a process keeps and owes while it is away.

mod debts;
mod each;
mod families;
mod lanes;
mod sweep;
mod unheard;

use std::sync::Arc;
use std::time::Duration;

use crate::budget::{Budget, Spent};
use crate::error::{Error, ErrorKind};
use crate::events::{Counters, Event};
use crate::local::Kept;
use crate::spare::{Spare, Spares};
use crate::store::{Generation, Reply, Store, Subscription};
use crate::trouble::Troubles;

use debts::Debts;
use families::Families;
use lanes::Lanes;
pub(crate) use unheard::{Release, Unsent};

#[derive(Debug)]
pub(crate) struct Remote {
    store: Arc<dyn Store>,
    lanes: Lanes,
    /// Keys and leases of which the store has not heard what it should.
    debts: Debts,
    /// Functions whose invalidation the store has not heard of in full.
    families: Families,
    spares: Spares,
    fallback_ttl: Duration,
    counters: Arc<Counters>,
    pub(crate) troubles: Troubles,
}

/// What a question to the store is for: what its fate says of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errand {
    /// Reads. If that fails, nothing else is worth trying.
    Look,
    /// Begins a load, which writes. A store may answer and take no writes.
    Begin,
    /// Stores what was loaded.
    Commit,
    /// Anything else. Says nothing of others: it may write less than a load does, and need fewer
    /// rights.
    Other,
}

impl Remote {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        capacity: usize,
        fallback_ttl: Duration,
        counters: Arc<Counters>,
    ) -> Self {
        let (spares, troubles) = (Spares::new(capacity), Troubles::default());
        let (lanes, debts, families) = Default::default();
        Self { store, lanes, debts, families, spares, fallback_ttl, counters, troubles }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Callers skip a part of the store, or it has yet to hear of a change.
    pub(crate) fn is_degraded(&self) -> bool {
        self.lanes.is_any_open() || !self.debts.keys_are_paid() || !self.families.is_empty()
    }

    /// Puts one question about `key` to the store, or fails at once where it is known to be away, or
    /// not to know of a change yet.
    pub(crate) async fn ask<'a, T>(
        self: &'a Arc<Self>,
        errand: Errand,
        key: &'a Arc<str>,
        budget: &mut Budget,
        question: impl FnOnce(&'a dyn Store, &'a str) -> Reply<'a, T>,
    ) -> Result<T, Error> {
        self.mend_debts();
        let lane = self.lane_of(key);
        if self.is_skipped(lane, errand, key) {
            self.counters.add(Event::StoreSkipped);
            return Err(skipped());
        }
        let Spent { answer, was_short } = budget.spend(question(&*self.store, key)).await;
        if let Err(error) = &answer {
            self.note(key, error);
        }
        match &answer {
            Err(error) if is_outage(error.kind()) && !was_short => self.failed(lane, errand, key),
            Err(_) if was_short => {}
            _ => self.lanes[lane].answered(errand),
        }
        answer
    }

    fn is_skipped(self: &Arc<Self>, lane: usize, errand: Errand, key: &Arc<str>) -> bool {
        if self.lanes[lane].skips(errand) {
            self.mend(lane, key);
            return true;
        }
        let is_owed = self.families.has(key);
        if is_owed {
            self.mend_families();
        }
        is_owed || errand != Errand::Other && self.debts.owes(key)
    }

    /// Asks to hear of `key`. An account may have no right to channels, and every other one.
    pub(crate) async fn listen(
        self: &Arc<Self>,
        key: &Arc<str>,
        budget: &mut Budget,
    ) -> Result<Subscription, Error> {
        if self.lanes[self.lane_of(key)].skips(Errand::Other) {
            return Err(skipped());
        }
        let answer = budget.spend(self.store.subscribe(key)).await.answer;
        answer.inspect_err(|error| self.note(key, error))
    }

    fn note(&self, key: &str, error: &Error) {
        self.counters.add(Event::StoreTrouble);
        self.troubles.note(error, key);
    }

    /// Tries once to send what the store has yet to hear of.
    pub(crate) async fn send_owed(self: &Arc<Self>) {
        self.pay(true).await;
        self.mend_families_now().await;
    }

    /// Of how many invalidations the store has yet to hear.
    pub(crate) fn owes(&self) -> usize {
        self.debts.number_of_keys() + self.families.len()
    }

    /// The state of affairs under which a load begins; a copy of its value belongs to that.
    pub(crate) fn episode(&self, key: &str) -> u64 {
        self.lanes[self.lane_of(key)].episode()
    }

    /// The copy of a value that could not be stored, for who cannot ask the store.
    pub(crate) fn spare(&self, key: &str) -> Option<Kept> {
        let spare = self.spares.get(key)?;
        (spare.episode == self.episode(key)).then_some(spare.kept)
    }

    /// The same for who has asked, and was told to load: nothing has changed since that copy's load
    /// began. Any other copy is of no use any more.
    pub(crate) fn spare_under(&self, key: &str, generation: Generation) -> Option<Kept> {
        let spare = self.spares.get(key)?;
        if spare.generation == Some(generation) {
            return Some(spare.kept);
        }
        self.forget(key);
        None
    }

    /// Keeps a copy, as long as nothing has changed since `episode`. `generation`: the load began
    /// with the store.
    pub(crate) fn put_aside(
        &self,
        key: &Arc<str>,
        kept: Kept,
        episode: u64,
        generation: Option<Generation>,
    ) {
        if self.episode(key) == episode {
            let life = kept.times.fresh_for;
            self.spares.put(key, Spare { kept, episode, generation }, life);
        }
    }

    /// Drops the copy.
    pub(crate) fn forget(&self, key: &str) {
        self.spares.remove(key);
    }

    /// The longest life of a copy.
    pub(crate) fn fallback_ttl(&self) -> Duration {
        self.fallback_ttl
    }
}

fn skipped() -> Error {
    Error::new(ErrorKind::Unavailable, "the store is known to be away")
}

/// Whether the next question would fare no better. Other errors are answers.
fn is_outage(kind: ErrorKind) -> bool {
    use ErrorKind::{Denied, Loading, Moved, Timeout, Unavailable};
    matches!(kind, Unavailable | Timeout | Loading | Moved | Denied)
}
