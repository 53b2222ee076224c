//! Storing what a load brought, and giving back what it held.

use std::sync::Arc;
use std::time::Duration;

use super::Lead;
use crate::clock::Timestamp;
use crate::codec::Value;
use crate::events::Event;
use crate::lease::{release_behind, ticking};
use crate::local;
use crate::remote::Errand;
use crate::store::{Committed, Generation, Load, Mark};
use crate::strategy::{Times, smooth};
use crate::target::{SharedLevel, Target};

/// What became of a value.
pub(super) struct Kept {
    /// What a hit will return.
    pub(super) value: Value,
    /// Where it was stored.
    pub(super) times: Option<Times>,
    /// Not for those who came after its load began.
    pub(super) refused: bool,
}

impl Lead {
    fn times(&self, life: Duration) -> Times {
        let known = self.last.as_ref().and_then(|last| last.times.cost);
        self.target.times(self.grant.begun, life, Some(smooth(known, self.cost)))
    }

    /// Runs code of the user: a panic in it is one of the load.
    fn users<T>(&mut self, run: impl FnOnce(&Target) -> T) -> T {
        self.panicked = true;
        let result = run(&self.target);
        self.panicked = false;
        result
    }

    /// Stores in the process.
    pub(super) fn keep(&mut self, value: Value) -> Kept {
        let times = match self.users(|target| target.life(&value)) {
            Ok(life) => self.times(life),
            Err(why) => {
                self.target.count(why);
                self.target.tiers.holds.hold(&self.target.key, self.retry_after());
                return Kept { value, times: None, refused: self.run.is_refused() };
            }
        };
        let key = &self.target.key;
        let (flights, local) = (&self.target.tiers.flights, &self.target.tiers.local);
        let mut stored = false;
        let accepted = flights.unless_refused(key.as_str(), &self.run, || {
            let older = self.target.kept().is_ok_and(|kept| kept.times.begun > times.begun);
            if older {
                return self.target.count(Event::Older);
            }
            local.put(key.shared(), local::Kept { value: Arc::clone(&value), times });
            self.target.tiers.holds.clear(key);
            stored = true;
        });
        if !accepted {
            self.target.count(Event::Superseded);
        }
        Kept { value, times: stored.then_some(times), refused: !accepted }
    }

    /// Stores in the shared level. Newcomers ask there from now on: an invalidation may be on its
    /// way, and they must not join what it refuses.
    pub(super) async fn commit(&mut self, shared: &SharedLevel, value: Value) -> Kept {
        let Some(load) = self.grant.load else { return self.put_aside(shared, value, None) };
        let times = match self.users(|target| target.life(&value)) {
            Ok(life) => self.times(life),
            Err(why) => {
                self.target.count(why);
                return self.unstored(value).await;
            }
        };
        let Ok(encoded) = self.users(|target| target.encode(shared, &value)) else {
            return self.unstored(value).await;
        };
        let mut head = self.target.head(shared, &encoded, times);
        head.generation = load.generation;
        let entry = head.seal(&shared.tag, &encoded.payload);
        self.seat().close();
        let Some(committed) = self.committed(shared, load, &entry).await else {
            // Nor is it known whether the key has been changed meanwhile.
            let kept = self.put_aside(shared, encoded.value, Some(load.generation));
            return Kept { refused: true, ..kept };
        };
        self.target.tiers.holds.clear(&self.target.key);
        // Too late: the generation that would have refused it may have left by now.
        let superseded = matches!(committed, Committed::Superseded | Committed::TooLate);
        Kept {
            value: encoded.value,
            times: (committed == Committed::Stored).then_some(times),
            refused: self.run.is_refused() || superseded,
        }
    }

    /// Keeps a copy in the process for a while: the store is away, or does not take it. `generation`:
    /// it was there when the load began.
    fn put_aside(
        &mut self,
        shared: &SharedLevel,
        value: Value,
        generation: Option<Generation>,
    ) -> Kept {
        let life = match self.users(|target| target.life(&value)) {
            Ok(life) => life.min(shared.remote.fallback_ttl()),
            Err(why) => {
                self.target.count(why);
                return Kept { value, times: None, refused: self.run.is_refused() };
            }
        };
        let key = &self.target.key;
        let times = self.times(life);
        let accepted = self.target.tiers.flights.unless_refused(key.as_str(), &self.run, || {
            let copy = local::Kept { value: Arc::clone(&value), times };
            shared.remote.put_aside(&shared.tag, copy, self.episode, generation);
        });
        self.target.tiers.holds.hold(key, self.retry_after()); // no refresh would fare better
        self.target.count(if accepted { Event::PutAside } else { Event::Superseded });
        Kept { value, times: None, refused: !accepted }
    }

    async fn committed(
        &mut self,
        shared: &SharedLevel,
        load: Load,
        entry: &[u8],
    ) -> Option<Committed> {
        let flight = self.seat.as_ref().expect("not settled yet").flight();
        let lease = self.target.lease();
        let shape = shared.shape;
        let commit = self
            .target
            .send(Errand::Commit, shared, |store, key| store.commit(key, load, shape, entry));
        match ticking(flight, lease, commit).await {
            Ok(committed) => {
                match committed {
                    Committed::Stored => {}
                    Committed::Superseded => self.target.count(Event::Superseded),
                    Committed::TooLate => self.target.count(Event::TooLate),
                    Committed::Older => self.target.count(Event::Older),
                }
                Some(committed)
            }
            Err(error) => {
                tracing::debug!(%error, key = %shared.tag, "a loaded value could not be stored");
                release_behind(&self.target, load, Mark::Nothing);
                None
            }
        }
    }

    async fn unstored(&mut self, value: Value) -> Kept {
        self.seat().close();
        self.target.tiers.holds.hold(&self.target.key, self.retry_after());
        let current = self.leave(Mark::Unstored(self.retry_after())).await;
        Kept { value, times: None, refused: self.run.is_refused() || !current }
    }

    /// Whether the last value is still what is stored. Asked while nobody can join.
    pub(super) async fn still_stands(&mut self, begun: Timestamp) -> bool {
        let Some(shared) = self.target.shared.clone() else { return true };
        let flight = self.seat.as_ref().expect("not settled yet").flight();
        let (lease, shape) = (self.target.lease(), shared.shape);
        let read = self.target.send(Errand::Look, &shared, |store, key| store.read(key, shape));
        match ticking(flight, lease, read).await {
            Ok(Some(bytes)) => {
                self.target.open(&shared, &bytes).is_ok_and(|found| found.times.begun == begun)
            }
            Ok(None) => false,
            Err(_) => true,
        }
    }

    /// Gives back what the load held in the shared level and tells the fleet. `false`: the key was
    /// changed since the load began.
    pub(super) async fn leave(&mut self, mark: Mark) -> bool {
        let (Some(load), Some(shared)) = (self.grant.load, self.target.shared.clone()) else {
            return true;
        };
        let flight = self.seat.as_ref().expect("not settled yet").flight();
        let lease = self.target.lease();
        let abandon =
            self.target.send(Errand::Other, &shared, |store, key| store.abandon(key, load, mark));
        ticking(flight, lease, abandon).await.unwrap_or_else(|_| {
            release_behind(&self.target, load, mark);
            true
        })
    }
}
