//! What the store has yet to hear of, and the background task that tells it: keys that are to be
//! invalidated, and leases that are to be given back.
//!
//! Until it has heard of a key's invalidation, this process does not ask for that key: what is stored
//! there is known to be out of date.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use super::each::each;
use super::lanes::{FIRST_PAUSE, LONGEST_PAUSE, drawn, within_patience};
use super::{Errand, Remote};
use crate::error::Error;
use crate::events::Event;
use crate::flight::next_order;
use crate::store::{Load, Mark};

/// So many keys, and so many leases, are remembered.
const MOST: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Debts {
    state: Mutex<State>,
    /// Whether there is anything: what every question looks at.
    any: AtomicBool,
    any_key: AtomicBool,
    mending: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// And when that was asked for, by the order of this process.
    keys: HashMap<Arc<str>, u64>,
    leases: Vec<Lease>,
}

/// What a load held.
#[derive(Debug, Clone)]
pub(super) struct Lease {
    pub(super) tag: Arc<str>,
    pub(super) load: Load,
    pub(super) mark: Mark,
    /// By then it has lapsed.
    pub(super) until: Instant,
}

/// What is to be paid, in one pass.
enum Debt {
    Key(Arc<str>, u64),
    Lease(Lease),
}

impl Debts {
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let changed = change(&mut state);
        self.any_key.store(!state.keys.is_empty(), Ordering::SeqCst);
        self.any.store(!state.keys.is_empty() || !state.leases.is_empty(), Ordering::SeqCst);
        changed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keys_are_paid(&self) -> bool {
        !self.any_key.load(Ordering::SeqCst)
    }

    pub(super) fn number_of_keys(&self) -> usize {
        self.state().keys.len()
    }

    /// Whether the store has yet to hear of the key's invalidation.
    pub(super) fn owes(&self, key: &str) -> bool {
        !self.keys_are_paid() && self.state().keys.contains_key(key)
    }

    /// `false`: there is no room to remember it.
    fn add_key(&self, key: &Arc<str>) -> bool {
        self.change(|state| {
            let has_room = state.keys.len() < MOST || state.keys.contains_key(key);
            has_room.then(|| state.keys.insert(Arc::clone(key), next_order())).is_some()
        })
    }

    pub(super) fn add_lease(&self, lease: Lease) {
        self.change(|state| {
            if state.leases.len() < MOST {
                state.leases.push(lease); // else it lapses
            }
        });
    }

    fn all(&self) -> Vec<Debt> {
        let now = Instant::now();
        self.change(|state| {
            state.leases.retain(|lease| lease.until > now);
            let keys = state.keys.iter().map(|(key, &asked)| Debt::Key(Arc::clone(key), asked));
            keys.chain(state.leases.iter().cloned().map(Debt::Lease)).collect()
        })
    }

    /// Unless it was asked for again meanwhile.
    fn remove(&self, debt: &Debt) {
        self.change(|state| match debt {
            Debt::Key(key, asked) if state.keys.get(key) == Some(asked) => {
                state.keys.remove(key);
            }
            Debt::Key(..) => {}
            Debt::Lease(paid) => state.leases.retain(|lease| lease.load.token != paid.load.token),
        });
    }

    /// Where there is none the background task ends, in the same moment: who adds one starts another.
    fn is_rest(&self) -> bool {
        let state = self.state();
        let none = state.keys.is_empty() && state.leases.is_empty();
        self.mending.store(!none, Ordering::SeqCst);
        none
    }
}

impl Remote {
    /// Remembers that the store has yet to hear of this. `false`: there is no room for it.
    pub(crate) fn owe(self: &Arc<Self>, key: &Arc<str>) -> bool {
        let has_room = self.debts.add_key(key);
        self.count_owed(has_room);
        self.mend_debts();
        has_room
    }

    pub(super) fn count_owed(&self, has_room: bool) {
        let event = if has_room { Event::InvalidationQueued } else { Event::InvalidationLost };
        self.counters.add(event);
    }

    /// Tries once to tell the store what it has yet to hear of. `everywhere`: also where it is known
    /// to be away.
    pub(super) async fn pay(self: &Arc<Self>, everywhere: bool) {
        let mut debts = self.debts.all();
        debts.retain(|debt| everywhere || !self.is_away_for(debt));
        let pay = |debt| Arc::clone(self).paid(debt);
        each(debts, pay, |()| ()).await;
    }

    fn is_away_for(&self, debt: &Debt) -> bool {
        let (Debt::Key(key, _) | Debt::Lease(Lease { tag: key, .. })) = debt;
        self.lanes[self.lane_of(key)].skips(Errand::Other)
    }

    async fn paid(self: Arc<Self>, debt: Debt) {
        let answer = match &debt {
            Debt::Key(key, _) => within_patience(self.store.invalidate(key)).await,
            Debt::Lease(Lease { tag, load, mark, .. }) => {
                let left = within_patience(self.store.abandon(tag, *load, *mark)).await;
                left.map(|left| left.map(drop))
            }
        };
        let Some(answer) = answer.filter(|answer| !is_to_be_repeated(answer)) else { return };
        if let Debt::Key(key, _) = &debt {
            self.forget(key);
            let refused = answer.inspect_err(|error| self.note(key, error)).is_err();
            let event = if refused { Event::InvalidationLost } else { Event::InvalidationSent };
            self.counters.add(event);
        }
        self.debts.remove(&debt);
    }

    /// Starts the background task, unless it runs or there is nothing to do.
    pub(super) fn mend_debts(self: &Arc<Self>) {
        if !self.debts.any.load(Ordering::SeqCst) {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        if !self.debts.mending.swap(true, Ordering::SeqCst) {
            // Made here: a runtime that is shutting down drops the task without polling it.
            runtime.spawn(Mender(Arc::downgrade(self)).run());
        }
    }
}

pub(super) fn is_to_be_repeated(answer: &Result<(), Error>) -> bool {
    answer.as_ref().is_err_and(Error::is_transient)
}

/// Ends with the cache it is for, or with its runtime: then the next caller starts another one.
struct Mender(Weak<Remote>);

impl Mender {
    async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            sleep(drawn(pause)).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            let Some(remote) = self.0.upgrade() else { return };
            remote.pay(false).await;
            if remote.debts.is_rest() {
                self.0 = Weak::new(); // another one may run already
                return;
            }
        }
    }
}

impl Drop for Mender {
    fn drop(&mut self) {
        if let Some(remote) = self.0.upgrade() {
            remote.debts.mending.store(false, Ordering::SeqCst);
        }
    }
}
