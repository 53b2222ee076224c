//! What changes a key from outside its loads: `invalidate`, `expire`, `prime`. Each refuses every
//! load that runs, here at once and in the fleet by a new generation.

mod many;

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::codec::Value;
use crate::entry::{self, Head};
use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::flight::next_order;
use crate::local::Kept;
use crate::remote::{Errand, Unsent};
use crate::store::{Replacement, Reply, Store};
use crate::strategy::Times;
use crate::target::{SharedLevel, Target};

/// Tries of `expire` before it gives way to whoever keeps changing the key, and invalidates.
const TRIES: usize = 3;

impl Target {
    /// Refuses every load of this process, and drops what it has kept aside.
    fn refuse(&self, then: impl FnOnce()) {
        self.tiers.holds.clear(&self.key);
        self.tiers.flights.refuse(self.key.as_str(), || {
            if let Some(shared) = &self.shared {
                shared.remote.forget(&shared.tag);
            }
            then();
        });
    }

    /// A question that changes the key. Where the store did not hear it, or the caller does not wait
    /// for that, the key is invalidated once it does.
    async fn change<'s, T>(
        &mut self,
        shared: &'s SharedLevel,
        question: impl FnOnce(&'s dyn Store, &'s str) -> Reply<'s, T>,
    ) -> Result<T, Error> {
        let unsent = Unsent::new(&shared.remote, &shared.tag);
        let changed = self.send(Errand::Other, shared, question).await;
        if !changed.as_ref().is_err_and(Error::is_transient) {
            unsent.heard();
        }
        changed
    }

    /// Removes the value everywhere.
    pub(crate) async fn invalidate(mut self) -> Result<(), Error> {
        self.refuse(|| self.tiers.local.remove(self.key.as_str()));
        match self.shared.clone() {
            Some(shared) => self.invalidate_shared(&shared).await,
            None => Ok(()),
        }
    }

    async fn invalidate_shared(&mut self, shared: &SharedLevel) -> Result<(), Error> {
        self.change(shared, |store, key| store.invalidate(key)).await
    }

    /// Ends the ttl now; what is within grace or stale_if_error afterwards stays.
    pub(crate) async fn expire(mut self) -> Result<(), Error> {
        let Some(shared) = self.shared.clone() else {
            self.refuse(|| self.expire_kept());
            return Ok(());
        };
        self.refuse(|| ());
        let unsent = Unsent::new(&shared.remote, &shared.tag);
        for _ in 0..TRIES {
            // What cannot be read, or put back, is removed below; or the store is away, as said there.
            let Ok(stored) =
                self.send(Errand::Look, &shared, |store, key| store.read_all(key)).await
            else {
                break;
            };
            let Some(fields) = self.expired(&shared, stored) else { break };
            let replace =
                self.send(Errand::Other, &shared, |store, key| store.replace(key, &fields));
            if let Ok(true) = replace.await {
                unsent.heard();
                return Ok(());
            }
        }
        let invalidated = self.invalidate_shared(&shared).await;
        unsent.heard(); // that has a word of its own
        invalidated
    }

    fn expire_kept(&self) {
        let local = &self.tiers.local;
        match local.get(self.key.as_str()) {
            Some(Kept { value, times }) if keeps(&times) => {
                local.put(self.key.shared(), Kept { value, times: ended(times, self.now()) });
            }
            _ => local.remove(self.key.as_str()),
        }
    }

    /// Every field with its ttl ended. `None` where some field cannot be kept that way.
    fn expired(
        &self,
        shared: &SharedLevel,
        stored: Vec<(Vec<u8>, Vec<u8>)>,
    ) -> Option<Vec<Replacement>> {
        let now = self.now();
        let replace = |(field, old): (Vec<u8>, Vec<u8>)| {
            let (head, payload) = entry::unseal(&shared.tag, &old).ok()?;
            let head = Head { times: ended(head.times, now), ..head };
            let new = head.seal(&shared.tag, payload);
            keeps(&head.times).then_some(Replacement { field, old, new })
        };
        let fields: Option<Vec<_>> = stored.into_iter().map(replace).collect();
        fields.filter(|fields| !fields.is_empty())
    }

    /// Stores a value computed elsewhere, in place of everything. A value that cannot be stored
    /// still removes what was there.
    pub(crate) async fn prime(mut self, value: Value) -> Result<(), Error> {
        let life = self.life(&value);
        let Some(shared) = self.shared.clone() else {
            self.refuse(|| self.prime_kept(&value, life.ok()));
            return life.map_or_else(|why| self.not_kept(why), |_| Ok(()));
        };
        self.refuse(|| ());
        let life = match life {
            Ok(life) => life,
            Err(why) => {
                self.invalidate_shared(&shared).await?;
                return self.not_kept(why);
            }
        };
        let shape = shared.shape;
        let stored = self.send(Errand::Look, &shared, |store, key| store.read(key, shape)).await;
        let known = stored.ok().flatten().and_then(|bytes| self.open(&shared, &bytes).ok());
        let times = self.times(self.now(), life, known.and_then(|known| known.times.cost));
        match self.encode(&shared, &value) {
            Ok(encoded) => {
                let entry = self.head(&shared, &encoded, times).seal(&shared.tag, &encoded.payload);
                self.change(&shared, |store, key| store.prime(key, shape, &entry)).await
            }
            Err(error) => {
                self.invalidate_shared(&shared).await?;
                Err(error)
            }
        }
    }

    /// A primed value is not stored. An error, unless the function stores nothing anyway.
    fn not_kept(&self, why: Event) -> Result<(), Error> {
        self.count(why);
        let what = match why {
            Event::NoneSkipped => "this function does not store `None`",
            _ if self.policy.ttl.is_zero() => return Ok(()),
            _ => "the value's own ttl says not to store it",
        };
        Err(Error::new(ErrorKind::Unstorable, what))
    }

    fn prime_kept(&self, value: &Value, life: Option<Duration>) {
        let Some(life) = life else { return self.tiers.local.remove(self.key.as_str()) };
        let known = self.kept().ok().and_then(|kept| kept.times.cost);
        let times = self.times(Timestamp::from_micros(next_order()), life, known);
        self.tiers.local.put(self.key.shared(), Kept { value: Arc::clone(value), times });
    }
}

/// The call runs uncached.
pub(crate) fn unsound() -> Error {
    Error::new(ErrorKind::Key, "nothing is stored under a key that another call may have too")
}

/// Whether anything of the entry outlives its ttl.
fn keeps(times: &Times) -> bool {
    !times.grace.is_zero() || !times.stale_if_error.is_zero()
}

fn ended(times: Times, now: Timestamp) -> Times {
    Times { fresh_for: times.fresh_for.min(times.age(now)), ..times }
}
