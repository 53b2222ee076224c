//! The background task behind an open breaker: asks until the store answers, sends what it has
//! missed, closes the breaker.

use std::sync::{Arc, Weak};
use std::time::Duration;

use rand::RngExt as _;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::{Remote, is_outage};
use crate::error::Error;
use crate::events::Event;
use crate::store::{Reply, Shape};

pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(100);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_millis(250);
/// A field that no entry has: the answer is short.
const NO_SHAPE: Shape = Shape(0);

/// Ends with the cache it is for, or with its runtime: then the next caller starts another one.
struct Mender {
    remote: Weak<Remote>,
    /// Which part of the store.
    lane: usize,
    /// A key of ours in that part: the account has the right to read it.
    key: Arc<str>,
}

impl Remote {
    /// Starts the background task of the key's part, unless it runs.
    pub(super) fn mend(self: &Arc<Self>, key: &Arc<str>) {
        let lane = self.lane_of(key);
        let Ok(runtime) = Handle::try_current() else { return };
        if self.lanes[lane].breaker.claim() {
            // Made here: a runtime that is shutting down drops the task without polling it.
            let mender = Mender { remote: Arc::downgrade(self), lane, key: Arc::clone(key) };
            runtime.spawn(mender.run());
        }
    }

    async fn answers(&self, key: &str) -> bool {
        match within_patience(self.store.read(key, NO_SHAPE)).await {
            Some(Err(error)) => !is_outage(error.kind()),
            answer => answer.is_some(),
        }
    }

    /// Sends what the store has missed, then closes the breaker. `false`: the store is away again.
    pub(super) async fn make_good(&self, lane: usize) -> bool {
        let mut sent = 0;
        loop {
            let (key, asked) = {
                let owed = self.lanes[lane].owed();
                let Some((key, asked)) = owed.iter().next() else {
                    self.spares.clear();
                    self.lanes[lane].breaker.close(); // under the lock: nothing is owed now
                    break;
                };
                (Arc::clone(key), *asked)
            };
            match within_patience(self.store.invalidate(&key)).await {
                None => return false,
                Some(Err(error)) if error.is_transient() => return false,
                Some(Err(error)) => self.troubles.note(&error, &key), // refused for good
                Some(Ok(())) => self.counters.add(Event::InvalidationSent),
            }
            let mut owed = self.lanes[lane].owed();
            if owed.get(&key) == Some(&asked) {
                owed.remove(&key); // else it was asked for again meanwhile
            }
            sent += 1;
        }
        tracing::info!(invalidations = sent, "the store answers again");
        true
    }
}

async fn within_patience<T>(reply: Reply<'_, T>) -> Option<Result<T, Error>> {
    timeout(PATIENCE, reply).await.ok()
}

/// From the upper half: a fleet does not come back in step.
pub(super) fn drawn(pause: Duration) -> Duration {
    pause.mul_f64(rand::rng().random_range(0.5..1.0))
}

impl Mender {
    async fn run(self) {
        let mut pause = FIRST_PAUSE;
        loop {
            sleep(drawn(pause)).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            let Some(remote) = self.remote.upgrade() else { return };
            if remote.answers(&self.key).await && remote.make_good(self.lane).await {
                return;
            }
        }
    }
}

impl Drop for Mender {
    fn drop(&mut self) {
        if let Some(remote) = self.remote.upgrade() {
            remote.lanes[self.lane].breaker.unclaim();
        }
    }
}
