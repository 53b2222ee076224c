//! Which flight is a key's flight. A record leaves when nobody is in it, decided under the lock
//! that hands it out.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::{Flight, State};
use crate::store::Token;

const SHARDS: usize = 16;

/// All flights and running loads of one cache.
#[derive(Default)]
pub(crate) struct Flights {
    shards: [Mutex<HashMap<Arc<str>, Slot>>; SHARDS],
    hasher: RandomState,
}

impl fmt::Debug for Flights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flights({})", self.len())
    }
}

#[derive(Default)]
struct Slot {
    flight: Option<(Arc<Flight>, usize)>,
    running: Vec<Arc<Run>>,
}

impl Slot {
    fn is_idle(&self) -> bool {
        self.flight.is_none() && self.running.is_empty()
    }
}

/// A load of this process, known to `invalidate` even after its flight was replaced.
pub(crate) struct Run {
    refused: AtomicBool,
    since: Instant,
}

impl Run {
    /// `invalidate`, `expire` or `prime` came after it began.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::SeqCst)
    }
}

type Shard<'a> = MutexGuard<'a, HashMap<Arc<str>, Slot>>;

impl Flights {
    fn shard(&self, key: &str) -> Shard<'_> {
        let shard = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records at this moment: zero when idle.
    pub(crate) fn len(&self) -> usize {
        let count = |shard: &Mutex<HashMap<_, _>>| {
            shard.lock().unwrap_or_else(PoisonError::into_inner).len()
        };
        self.shards.iter().map(count).sum()
    }

    /// When the load began that has been running for longest.
    pub(crate) fn oldest(&self) -> Option<Instant> {
        let oldest = |shard: &Mutex<HashMap<_, Slot>>| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.values().flat_map(|slot| &slot.running).map(|run| run.since).min()
        };
        self.shards.iter().filter_map(oldest).min()
    }

    /// Joins the key's flight, a new one if there is none.
    pub(crate) fn join(self: &Arc<Self>, key: &Arc<str>) -> Member {
        let mut shard = self.shard(key);
        let slot = shard.entry(Arc::clone(key)).or_default();
        let (flight, members) =
            slot.flight.get_or_insert_with(|| (Arc::new(Flight::new(0, None)), 0));
        *members += 1;
        Member { flights: Arc::clone(self), key: Arc::clone(key), flight: Arc::clone(flight) }
    }

    /// Joins a flight whose loader runs for callers who have nothing to serve.
    pub(crate) fn join_missing(self: &Arc<Self>, key: &Arc<str>) -> Option<Member> {
        let mut shard = self.shard(key);
        let (flight, members) = shard.get_mut(&**key)?.flight.as_mut()?;
        if !matches!(&*flight.state.borrow(), State::Loading(loading) if loading.missing) {
            return None;
        }
        *members += 1;
        Some(Member { flights: Arc::clone(self), key: Arc::clone(key), flight: Arc::clone(flight) })
    }

    /// Refuses every running load of the key; newcomers get a flight of their own. `then` runs
    /// under the same lock, so that no load lands in between.
    pub(crate) fn refuse(&self, key: &str, then: impl FnOnce()) {
        let mut shard = self.shard(key);
        if let Some(slot) = shard.get_mut(key) {
            slot.running.iter().for_each(|run| run.refused.store(true, Ordering::SeqCst));
            slot.flight = None;
            if slot.is_idle() {
                shard.remove(key);
            }
        }
        then();
    }

    /// The same for every key that `belongs`.
    pub(crate) fn refuse_all(&self, belongs: impl Fn(&str) -> bool) {
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.retain(|key, slot| {
                if belongs(key) {
                    slot.running.iter().for_each(|run| run.refused.store(true, Ordering::SeqCst));
                    slot.flight = None;
                }
                !slot.is_idle()
            });
        }
    }

    /// Makes a load known until it is [ended](Self::end).
    pub(crate) fn start(&self, key: &Arc<str>) -> Arc<Run> {
        let run = Arc::new(Run { refused: AtomicBool::new(false), since: Instant::now() });
        self.shard(key).entry(Arc::clone(key)).or_default().running.push(Arc::clone(&run));
        run
    }

    /// Forgets a load.
    pub(crate) fn end(&self, key: &str, run: &Arc<Run>) {
        self.change(key, |slot| slot.running.retain(|other| !Arc::ptr_eq(other, run)));
    }

    /// Runs `store` unless the load was refused; nothing can refuse it in between.
    pub(crate) fn unless_refused(&self, key: &str, run: &Run, store: impl FnOnce()) -> bool {
        let _shard = self.shard(key);
        let accepted = !run.is_refused();
        if accepted {
            store();
        }
        accepted
    }

    fn change<T: Default>(&self, key: &str, change: impl FnOnce(&mut Slot) -> T) -> T {
        let mut shard = self.shard(key);
        let Some(slot) = shard.get_mut(key) else { return T::default() };
        let result = change(slot);
        if slot.is_idle() {
            shard.remove(key);
        }
        result
    }
}

/// A caller's place in a flight. Dropping it counts the caller out.
pub(crate) struct Member {
    flights: Arc<Flights>,
    key: Arc<str>,
    flight: Arc<Flight>,
}

impl Member {
    pub(crate) fn flight(&self) -> &Flight {
        &self.flight
    }

    pub(crate) fn key(&self) -> &Arc<str> {
        &self.key
    }

    pub(crate) fn flights(&self) -> &Arc<Flights> {
        &self.flights
    }

    /// Whether this is still the key's flight.
    pub(crate) fn is_current(&self) -> bool {
        self.flights.change(&self.key, |slot| self.holds(slot))
    }

    fn holds(&self, slot: &Slot) -> bool {
        slot.flight.as_ref().is_some_and(|(flight, _)| Arc::ptr_eq(flight, &self.flight))
    }

    /// Newcomers get another flight.
    pub(super) fn close(&self) {
        self.flights.change(&self.key, |slot| {
            if self.holds(slot) {
                slot.flight = None;
            }
        });
    }

    /// A place in the key's flight, whichever that is now.
    pub(super) fn rejoin(&self) -> Self {
        self.flights.join(&self.key)
    }

    /// Puts a new flight in this one's place, with a place in it. Of many waiters one does, the
    /// others find it done.
    pub(super) fn replace(&self, takeovers: u32, over: Option<Token>) -> Option<Self> {
        let flight = Arc::new(Flight::new(takeovers, over));
        let replaced = self.flights.change(&self.key, |slot| {
            let current = self.holds(slot);
            if current {
                slot.flight = Some((Arc::clone(&flight), 1));
            }
            current
        });
        if !replaced {
            return None;
        }
        self.flight.announce(State::Replaced, || ());
        Some(Self { flights: Arc::clone(&self.flights), key: Arc::clone(&self.key), flight })
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.flights.change(&self.key, |slot| {
            if !self.holds(slot) {
                return;
            }
            if let Some((_, members)) = &mut slot.flight {
                *members -= 1;
                if *members == 0 {
                    slot.flight = None;
                }
            }
        });
    }
}
