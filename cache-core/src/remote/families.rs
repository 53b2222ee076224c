//! Functions whose invalidation could not be done in full, and the background task that does it.
//!
//! Until it has, this process asks the store for none of their values, whether it answers or not:
//! some of what it has is known to be out of date, and nobody knows which.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::sleep;

use super::Remote;
use super::lanes::{FIRST_PAUSE, LONGEST_PAUSE, drawn};
use crate::events::Event;
use crate::flight::next_order;
use crate::key::Family;

/// So many are remembered; a program has fewer, unless it makes their names up.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Families {
    /// And when that was asked for, by the order of this process.
    owed: Mutex<HashMap<Arc<Family>, u64>>,
    /// Whether there is one: what every question looks at.
    any: AtomicBool,
    mending: AtomicBool,
}

impl Families {
    fn owed(&self) -> MutexGuard<'_, HashMap<Arc<Family>, u64>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.any.load(Ordering::SeqCst)
    }

    pub(super) fn len(&self) -> usize {
        self.owed().len()
    }

    /// Whether the key is of one of them.
    pub(super) fn has(&self, key: &str) -> bool {
        !self.is_empty() && self.owed().keys().any(|family| family.has_tag(key))
    }

    fn insert(&self, family: &Arc<Family>) -> bool {
        let mut owed = self.owed();
        let has_room = owed.len() < MOST || owed.contains_key(family);
        if has_room {
            owed.insert(Arc::clone(family), next_order());
            self.any.store(true, Ordering::SeqCst);
        }
        has_room
    }

    /// Where there is none the background task ends, in the same moment: who adds one starts another.
    fn next_or_rest(&self) -> Option<(Arc<Family>, u64)> {
        let owed = self.owed();
        let next = owed.iter().next().map(|(family, &asked)| (Arc::clone(family), asked));
        self.mending.store(next.is_some(), Ordering::SeqCst);
        next
    }

    /// Unless it was asked for again meanwhile.
    fn remove(&self, family: &Family, asked: u64) {
        let mut owed = self.owed();
        if owed.get(family) == Some(&asked) {
            owed.remove(family);
        }
        self.any.store(!owed.is_empty(), Ordering::SeqCst);
    }
}

impl Remote {
    /// Remembers that there may be values of the function. `false`: there is no room for it.
    pub(crate) fn owe_family(self: &Arc<Self>, family: &Arc<Family>) -> bool {
        let has_room = self.families.insert(family);
        self.count_owed(has_room);
        self.mend_families();
        has_room
    }

    /// Drops the copies of the function's values.
    pub(crate) fn forget_family(&self, family: &Family) {
        self.spares.retain(|key| !family.has_tag(key));
    }

    /// One attempt at each.
    pub(super) async fn mend_families_now(self: &Arc<Self>) {
        let owed: Vec<_> =
            self.families.owed().iter().map(|(family, asked)| (family.clone(), *asked)).collect();
        for (family, asked) in owed {
            self.make_family_good(&family, asked).await;
        }
    }

    async fn make_family_good(self: &Arc<Self>, family: &Family, asked: u64) -> bool {
        let made_good = match self.sweep(family).await {
            Ok(()) => Event::InvalidationSent,
            Err(error) if error.is_transient() => return false,
            Err(_) => Event::InvalidationLost, // refused for good, and noted there
        };
        self.counters.add(made_good);
        self.forget_family(family);
        self.families.remove(family, asked);
        true
    }

    /// Starts the background task, unless it runs.
    pub(super) fn mend_families(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else { return };
        if !self.families.mending.swap(true, Ordering::SeqCst) {
            // Made here: a runtime that is shutting down drops the task without polling it.
            runtime.spawn(Mender(Arc::downgrade(self)).run());
        }
    }
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
            let Some((family, asked)) = remote.families.next_or_rest() else {
                self.0 = Weak::new(); // another one may run already
                return;
            };
            if remote.make_family_good(&family, asked).await {
                pause = FIRST_PAUSE;
            }
        }
    }
}

impl Drop for Mender {
    fn drop(&mut self) {
        if let Some(remote) = self.0.upgrade() {
            remote.families.mending.store(false, Ordering::SeqCst);
        }
    }
}
