//! The store of a cache, behind a breaker, and what a process keeps and owes while it is away.

mod each;
mod families;
mod mend;
mod sweep;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::breaker::Breaker;
use crate::budget::{Budget, Spent};
use crate::error::{Error, ErrorKind};
use crate::events::{Counters, Event};
use crate::flight::next_order;
use crate::local::Kept;
use crate::spare::Spares;
use crate::store::{Reply, Store, Subscription};
use crate::trouble::Troubles;

use families::Families;

/// Parts of a store that fail each for itself are told apart up to this number.
const LANES: usize = 16;

/// So many keys to invalidate are remembered for each of them.
const MOST_OWED: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Remote {
    store: Arc<dyn Store>,
    lanes: [Lane; LANES],
    /// Functions whose invalidation the store has not heard of in full.
    families: Families,
    spares: Spares,
    fallback_ttl: Duration,
    counters: Arc<Counters>,
    pub(crate) troubles: Troubles,
}

/// Keys and when that was asked for, by the order of this process.
type Owed = HashMap<Arc<str>, u64>;

/// One part of the store.
#[derive(Debug, Default)]
struct Lane {
    breaker: Breaker,
    /// Keys whose invalidation the store has not heard of.
    owed: Mutex<Owed>,
}

impl Lane {
    fn owed(&self) -> MutexGuard<'_, Owed> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        capacity: usize,
        fallback_ttl: Duration,
        counters: Arc<Counters>,
    ) -> Self {
        let (spares, troubles) = (Spares::new(capacity), Troubles::default());
        let (lanes, families) = Default::default();
        Self { store, lanes, families, spares, fallback_ttl, counters, troubles }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    fn lane_of(&self, key: &str) -> usize {
        self.store.lane(key) % LANES
    }

    fn lane(&self, key: &str) -> &Lane {
        &self.lanes[self.lane_of(key)]
    }

    pub(crate) fn is_degraded(&self) -> bool {
        self.lanes.iter().any(|lane| lane.breaker.is_open()) || !self.families.is_empty()
    }

    /// Puts one question about `key` to the store, or fails at once while the breaker is open.
    pub(crate) async fn ask<'a, T>(
        self: &'a Arc<Self>,
        key: &'a Arc<str>,
        budget: &mut Budget,
        question: impl FnOnce(&'a dyn Store, &'a str) -> Reply<'a, T>,
    ) -> Result<T, Error> {
        if self.lane(key).breaker.is_open() {
            self.mend(key);
            self.counters.add(Event::StoreSkipped);
            return Err(skipped());
        }
        if self.families.has(key) {
            self.mend_families();
            self.counters.add(Event::StoreSkipped);
            return Err(skipped());
        }
        let Spent { answer, was_short } = budget.spend(question(&*self.store, key)).await;
        match &answer {
            Err(error) => self.failed(key, error, was_short),
            Ok(_) => self.lane(key).breaker.answered(),
        }
        answer
    }

    /// Asks to hear of `key`. An account may have no right to channels, and every other one.
    pub(crate) async fn listen(
        self: &Arc<Self>,
        key: &Arc<str>,
        budget: &mut Budget,
    ) -> Result<Subscription, Error> {
        if self.lane(key).breaker.is_open() {
            return Err(skipped());
        }
        let answer = budget.spend(self.store.subscribe(key)).await.answer;
        answer.inspect_err(|error| self.note(key, error))
    }

    fn note(&self, key: &str, error: &Error) {
        self.counters.add(Event::StoreTrouble);
        self.troubles.note(error, key);
    }

    fn failed(self: &Arc<Self>, key: &Arc<str>, error: &Error, was_short: bool) {
        self.note(key, error);
        let breaker = &self.lane(key).breaker;
        if !is_outage(error.kind()) {
            breaker.answered();
        } else if !was_short && breaker.failed() {
            self.opened(key);
        }
    }

    fn opened(self: &Arc<Self>, key: &Arc<str>) {
        self.counters.add(Event::BreakerOpened);
        tracing::warn!(
            "the store is not asked until it answers again; callers load and keep copies"
        );
        self.mend(key);
    }

    /// Remembers that the store has yet to hear of this. Until then its word on the key is not to
    /// be had, so that this opens the breaker. `false`: there is no room to remember it.
    pub(crate) fn owe(self: &Arc<Self>, key: &Arc<str>) -> bool {
        let lane = self.lane(key);
        let mut owed = lane.owed();
        let has_room = owed.len() < MOST_OWED || owed.contains_key(key);
        if has_room {
            owed.insert(Arc::clone(key), next_order());
        }
        let tripped = lane.breaker.trip();
        drop(owed);
        self.count_owed(has_room);
        if tripped {
            self.opened(key);
        } else {
            self.mend(key);
        }
        has_room
    }

    fn count_owed(&self, has_room: bool) {
        let event = if has_room { Event::InvalidationQueued } else { Event::InvalidationLost };
        self.counters.add(event);
    }

    /// Tries once to send what the store has yet to hear of.
    pub(crate) async fn send_owed(self: &Arc<Self>) {
        for lane in 0..LANES {
            if !self.lanes[lane].owed().is_empty() {
                self.make_good(lane).await;
            }
        }
        self.mend_families_now().await;
    }

    /// Of how many invalidations the store has yet to hear.
    pub(crate) fn owes(&self) -> usize {
        self.lanes.iter().map(|lane| lane.owed().len()).sum::<usize>() + self.families.len()
    }

    /// The state of affairs under which a load begins; a copy of its value belongs to that.
    pub(crate) fn episode(&self, key: &str) -> u64 {
        self.lane(key).breaker.episode()
    }

    /// The copy of a value loaded since the store went away.
    pub(crate) fn spare(&self, key: &str) -> Option<Kept> {
        self.spares.get(key, self.episode(key))
    }

    /// Keeps a copy, as long as nothing has changed since `episode`.
    pub(crate) fn put_aside(&self, key: &Arc<str>, kept: Kept, episode: u64) {
        if self.episode(key) == episode {
            let life = kept.times.fresh_for;
            self.spares.put(key, kept, life, episode);
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
