//! The parts of a store that fail each for itself, and the background task that asks one of them
//! while its callers do not.

use std::ops::Index;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use rand::RngExt as _;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::{Errand, Remote, is_outage};
use crate::breaker::Breaker;
use crate::clock::Timestamp;
use crate::error::Error;
use crate::events::{Event, Seldom};
use crate::store::{Begin, Load, Mark, Reply, Shape, Token};

/// Parts of a store are told apart up to this number.
const LANES: usize = 64;
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(100);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_millis(250);
/// A field that no entry has: the answer is short.
const NO_SHAPE: Shape = Shape(0);

#[derive(Debug)]
pub(super) struct Lanes {
    lanes: [Lane; LANES],
    told: Seldom,
}

/// One part of the store.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Whether it answers at all.
    answers: Breaker,
    /// Whether loads can begin there.
    takes_loads: Breaker,
    /// How often it has come back: what was put aside before that is out of date.
    episode: AtomicU64,
    mending: AtomicBool,
}

impl Default for Lanes {
    fn default() -> Self {
        Self { lanes: [(); LANES].map(|()| Lane::default()), told: Seldom::new() }
    }
}

impl Index<usize> for Lanes {
    type Output = Lane;

    fn index(&self, lane: usize) -> &Lane {
        &self.lanes[lane]
    }
}

impl Lanes {
    pub(super) fn is_any_open(&self) -> bool {
        self.lanes.iter().any(|lane| lane.answers.is_open() || lane.takes_loads.is_open())
    }
}

impl Lane {
    pub(super) fn skips(&self, errand: Errand) -> bool {
        let loads = matches!(errand, Errand::Begin | Errand::Commit);
        self.answers.is_open() || loads && self.takes_loads.is_open()
    }

    pub(super) fn answered(&self, errand: Errand) {
        self.answers.answered();
        if errand == Errand::Begin {
            self.takes_loads.answered();
        }
    }

    /// `true`: that opened a breaker.
    fn failed(&self, errand: Errand) -> bool {
        match errand {
            Errand::Look => self.answers.failed(),
            Errand::Begin => self.takes_loads.failed(),
            Errand::Commit | Errand::Other => false,
        }
    }

    pub(super) fn episode(&self) -> u64 {
        self.episode.load(Ordering::SeqCst)
    }

    fn close(&self, breaker: &Breaker) {
        self.episode.fetch_add(1, Ordering::SeqCst);
        breaker.close();
    }
}

/// Ends with the cache it is for, or with its runtime: then the next caller starts another one.
struct Mender {
    remote: Weak<Remote>,
    lane: usize,
    /// A key of ours in that part: the account has the right to read it.
    key: Arc<str>,
}

impl Remote {
    pub(super) fn lane_of(&self, key: &str) -> usize {
        self.store.lane(key) % LANES
    }

    pub(super) fn failed(self: &Arc<Self>, lane: usize, errand: Errand, key: &Arc<str>) {
        if !self.lanes[lane].failed(errand) {
            return;
        }
        self.counters.add(Event::BreakerOpened);
        if self.lanes.told.due() {
            let asks_not = match errand {
                Errand::Look => "it is not asked until it answers again",
                _ => "it answers, but no load can begin: it is only read until that changes",
            };
            tracing::warn!(%key, "the store fails; {asks_not}; callers load and keep copies");
        }
        self.mend(lane, key);
    }

    /// Starts the background task of this part, unless it runs.
    pub(super) fn mend(self: &Arc<Self>, lane: usize, key: &Arc<str>) {
        let Ok(runtime) = Handle::try_current() else { return };
        if !self.lanes[lane].mending.swap(true, Ordering::SeqCst) {
            // Made here: a runtime that is shutting down drops the task without polling it.
            let mender = Mender { remote: Arc::downgrade(self), lane, key: Arc::clone(key) };
            runtime.spawn(mender.run());
        }
    }

    /// Asks what callers do not. `true`: they may again.
    async fn is_mended(self: &Arc<Self>, lane: usize, key: &str) -> bool {
        let Lane { answers, takes_loads, .. } = &self.lanes[lane];
        if answers.is_open() {
            if !self.answers(key).await {
                return false;
            }
            self.lanes[lane].close(answers);
        }
        if takes_loads.is_open() {
            if !self.takes_loads(key).await {
                return false;
            }
            self.lanes[lane].close(takes_loads);
        }
        self.spares.retain(|key| self.lane_of(key) != lane);
        tracing::debug!(key, "the store answers again");
        true
    }

    async fn answers(&self, key: &str) -> bool {
        is_answer(&within_patience(self.store.read(key, NO_SHAPE)).await)
    }

    /// Begins a load that is none, and gives it up.
    async fn takes_loads(&self, key: &str) -> bool {
        let begin = Begin {
            shape: NO_SHAPE,
            after: Timestamp::MAX,
            token: Token::fresh(),
            lease: PATIENCE,
            exclusive: false,
            over: None,
            refresh: false,
            last_resort: false,
        };
        let begun = within_patience(self.store.begin(key, begin)).await;
        if let Some(Ok(begun)) = &begun {
            let (generation, begun) = (begun.generation, begun.time);
            let load = Load { token: begin.token, generation, begun, leased: false };
            let _ = within_patience(self.store.abandon(key, load, Mark::Nothing)).await; // it lapses
        }
        is_answer(&begun)
    }
}

pub(super) async fn within_patience<T>(reply: Reply<'_, T>) -> Option<Result<T, Error>> {
    timeout(PATIENCE, reply).await.ok()
}

fn is_answer<T>(answer: &Option<Result<T, Error>>) -> bool {
    answer
        .as_ref()
        .is_some_and(|answer| answer.as_ref().err().is_none_or(|error| !is_outage(error.kind())))
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
            if remote.is_mended(self.lane, &self.key).await {
                remote.pay(false).await; // what it has missed, without a further pause
                return;
            }
        }
    }
}

impl Drop for Mender {
    fn drop(&mut self) {
        if let Some(remote) = self.remote.upgrade() {
            remote.lanes[self.lane].mending.store(false, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_read_but_takes_no_loads_is_still_read() {
        let lane = Lane::default();
        let fails = |errand| lane.failed(errand);
        for _ in 0..2 {
            assert!(!fails(Errand::Begin));
            lane.answered(Errand::Look);
            lane.answered(Errand::Other);
        }
        assert!(fails(Errand::Begin), "what else succeeds says nothing of loads");
        assert!(lane.skips(Errand::Begin) && lane.skips(Errand::Commit));
        assert!(!lane.skips(Errand::Look) && !lane.skips(Errand::Other));
    }

    #[test]
    fn a_store_that_cannot_be_read_is_not_asked_at_all() {
        let lane = Lane::default();
        assert!([(); 3].map(|()| lane.failed(Errand::Look)).contains(&true));
        let all = [Errand::Look, Errand::Begin, Errand::Commit, Errand::Other];
        assert!(all.into_iter().all(|errand| lane.skips(errand)));
    }

    #[test]
    fn a_change_that_is_not_heard_says_nothing_of_other_keys() {
        let lane = Lane::default();
        assert!([(); 9].map(|()| lane.failed(Errand::Other)) == [false; 9]);
    }

    #[test]
    fn only_a_return_ends_an_episode() {
        let lane = Lane::default();
        lane.failed(Errand::Look);
        lane.answered(Errand::Look);
        assert_eq!(lane.episode(), 0, "what is put aside now still counts");
        lane.close(&lane.answers);
        assert_eq!(lane.episode(), 1);
    }
}
