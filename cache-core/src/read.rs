//! The path of a call: look up, ask the strategy, then serve, refresh or load.

mod admitted;
mod seated;

use std::time::Duration;

use rand::RngExt as _;

use crate::behind::Behind;
use crate::clock::Timestamp;
use crate::codec::Value;
use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::flight::{self, Landing, Moved, Shared, Woken};
use crate::load::Lead;
use crate::outcome::{Kind, Miss, Outcome};
use crate::permits;
use crate::remote::Errand;
use crate::strategy::{Decision, Freshness, Times, decide};
use crate::target::{Found, Target};

/// One call on its way to an answer.
pub(crate) struct Ask {
    target: Target,
    /// Drawn when the call was first polled.
    order: u64,
    /// Of a call that insists: the same moment in the time of entries, or a little later.
    asked: Timestamp,
    /// Only what began after this call will do: `refresh`.
    insists: bool,
    last: Option<Found>,
    miss: Option<Miss>,
    degraded: bool,
    /// The caller has looked, so whatever is newer was committed after it came.
    looked: bool,
}

/// What the caller does next.
pub(crate) enum Step {
    /// Answer with this.
    Serve(Served),
    /// Answer with this and see to the refresh.
    Refresh(Served, Box<Behind>),
    /// Run the loader, and nothing else: the call is part of its own load.
    Alone,
    /// Run the loader.
    Lead(Box<Lead>, Outcome),
    /// Answer with the leader's error.
    Failed(Shared, Outcome),
}

/// A value and how it came.
pub(crate) struct Served {
    pub(crate) value: Value,
    pub(crate) outcome: Outcome,
}

impl Ask {
    pub(crate) fn new(target: Target, insists: bool) -> Self {
        let order = flight::next_order();
        let here = || Timestamp::from_micros(order);
        let asked = match &target.shared {
            Some(shared) if insists => shared.remote.store().latest(),
            _ => here(),
        };
        Self {
            target,
            order,
            asked,
            insists,
            last: None,
            miss: None,
            degraded: false,
            looked: false,
        }
    }

    /// The value kept in this process, without waiting for anything.
    pub(crate) fn kept(&mut self) -> Option<Step> {
        if self.insists || self.target.shared.is_some() {
            return None;
        }
        self.looked = true;
        let kept = self.target.kept();
        self.judge(kept)
    }

    /// Everything else.
    pub(crate) async fn answer(mut self) -> Step {
        let cycle = permits::cycle(&self.target.loading());
        if self.target.shared.is_some() && !self.insists {
            if cycle.is_none()
                && let Some(member) =
                    self.target.tiers.flights.join_missing(self.target.key.shared())
                && let Woken::Landed(landing) = member.wait(self.target.patience()).await
                && let Some(step) = self.accept(landing)
            {
                return step;
            }
            let read = self.read().await;
            if let Some(step) = self.judge(read) {
                return step;
            }
        }
        if self.insists {
            self.last = self.read().await.ok(); // what others are served meanwhile, and at worst
        }
        if let Some(path) = cycle {
            self.tell_cycle(&path);
            return Step::Alone;
        }
        let mut member = self.target.tiers.flights.join(self.target.key.shared());
        loop {
            member = match member.wait(self.target.patience()).await {
                Woken::Seated(seat) => return self.seated(seat).await,
                Woken::Landed(landing) => {
                    if let Some(step) = self.accept(landing) {
                        return step;
                    }
                    self.target.tiers.flights.join(self.target.key.shared())
                }
                Woken::Moved(member, why) => {
                    self.note(why);
                    member
                }
            };
        }
    }

    /// Nobody could answer before it is over, so it goes on as if there were no cache. Said to the
    /// person on call.
    fn tell_cycle(&self, path: &[&str]) {
        self.target.count(Event::Cycle);
        if self.target.function.cycles.due() {
            let (key, path) = (self.target.public_key(), path.join(" -> "));
            tracing::warn!(%key, path, "a load calls for its own value: it is loaded once more");
        }
    }

    fn note(&self, moved: Moved) {
        match moved {
            Moved::Silent => self.target.count(Event::Replaced),
            // Where the level is shared, the lease has yet to be taken over.
            Moved::Stuck if self.target.shared.is_none() => self.target.count(Event::Takeover),
            Moved::Stuck | Moved::Before => {}
        }
    }

    /// What could be served without a load.
    pub(crate) async fn peek(mut self) -> Result<Option<Value>, Error> {
        let found = match self.target.shared.clone() {
            None => self.target.kept().ok(),
            Some(shared) => {
                let shape = shared.shape;
                match self
                    .target
                    .send(Errand::Look, &shared, |store, key| store.read(key, shape))
                    .await
                {
                    Ok(bytes) => bytes.and_then(|bytes| self.target.open(&shared, &bytes).ok()),
                    Err(error) => Some(self.target.spare().ok_or(error)?),
                }
            }
        };
        Ok(found.filter(|found| self.target.is_servable(found)).map(|found| found.value))
    }

    async fn read(&mut self) -> Result<Found, Miss> {
        let Some(shared) = self.target.shared.clone() else { return self.target.kept() };
        let shape = shared.shape;
        let read =
            self.target.send(Errand::Look, &shared, |store, key| store.read(key, shape)).await;
        self.looked = read.is_ok();
        match read {
            Ok(Some(bytes)) => self.target.open(&shared, &bytes),
            Ok(None) => Err(Miss::Cold),
            Err(error) if error.kind() == ErrorKind::WrongType => Err(Miss::Corrupt),
            Err(_) => {
                self.degraded = true;
                self.target.spare().ok_or(Miss::StoreDown)
            }
        }
    }

    /// Serves what was read if it may be served.
    fn judge(&mut self, read: Result<Found, Miss>) -> Option<Step> {
        let found = match read {
            Ok(found) => found,
            Err(miss) => {
                self.miss = Some(miss);
                self.target.count(miss.event());
                return None;
            }
        };
        let (policy, now) = (self.target.policy, self.target.now());
        let draw = || 1.0 - rand::rng().random::<f64>();
        match decide(&policy, &found.times, now, draw) {
            Decision::Serve => Some(Step::Serve(self.serve(&found, Kind::Hit))),
            Decision::Refresh { stale } => {
                let served = self.serve(&found, if stale { Kind::Stale } else { Kind::Hit });
                Some(match Behind::new(&self.target, found) {
                    Some(behind) => Step::Refresh(served, Box::new(behind)),
                    None => Step::Serve(served),
                })
            }
            Decision::Load if self.is_too_early(&found) => {
                Some(Step::Serve(self.serve(&found, Kind::StaleOnError)))
            }
            Decision::Load => {
                self.miss = Some(Miss::Expired);
                self.target.count(Event::MissExpired);
                self.last = Some(found);
                None
            }
        }
    }

    /// A load has just failed and this may stand in for it: no need to wait for another failure.
    fn is_too_early(&self, found: &Found) -> bool {
        let stands = found.times.freshness(&self.target.policy, self.target.now());
        let fails = || self.target.tiers.holds.fails(&self.target.key);
        !self.insists && stands == Freshness::LastResort && fails()
    }

    fn outcome(&self, kind: Kind, age: Option<Duration>) -> Outcome {
        Outcome { kind, age, degraded: self.degraded, miss: self.miss }
    }

    fn serve(&self, found: &Found, kind: Kind) -> Served {
        let age = found.times.age(self.target.now());
        Served { value: found.value.clone(), outcome: self.outcome(kind, Some(age)) }
    }

    /// What a flight brought, if it answers this caller.
    fn accept(&mut self, landing: Landing) -> Option<Step> {
        match landing {
            Landing::Value { value, times, order, refused, last_resort } => {
                let late = refused && order < self.order;
                let early = self.insists && !self.came_before(order, times);
                let kind = if last_resort { Kind::StaleOnError } else { Kind::Joined };
                (!late && !early).then(|| self.take(value, times, kind)).flatten()
            }
            Landing::Found { value, times, order } => {
                let late = order < self.order;
                let early = self.insists && times.begun <= self.asked;
                (!late && !early).then(|| self.take(value, Some(times), Kind::Joined)).flatten()
            }
            Landing::Failed { order, refused, .. }
                if (refused || self.insists) && order < self.order =>
            {
                None
            }
            Landing::Failed { error, .. } => Some(self.failed(error)),
        }
    }

    fn take(&self, value: Value, times: Option<Times>, kind: Kind) -> Option<Step> {
        let age = times.map(|times| times.age(self.target.now()));
        let accepted = self.target.accepts(&value);
        accepted.then(|| Step::Serve(Served { value, outcome: self.outcome(kind, age) }))
    }

    /// The last value this caller saw, if it may stand in; else the leader's error.
    fn failed(&self, error: Shared) -> Step {
        let (policy, now) = (&self.target.policy, self.target.now());
        match &self.last {
            Some(last) if last.times.freshness(policy, now) != Freshness::Gone => {
                Step::Serve(self.serve(last, Kind::StaleOnError))
            }
            _ => Step::Failed(error, self.outcome(Kind::Joined, None)),
        }
    }

    /// Whether this caller came before a load began, by the order of this process or by the stamp
    /// of what it stored.
    fn came_before(&self, order: u64, times: Option<Times>) -> bool {
        self.order < order || times.is_some_and(|times| self.asked < times.begun)
    }
}
