//! The path of a call: look up, ask the strategy, then serve, refresh or load.

use std::time::Duration;

use rand::RngExt as _;

use crate::behind::Behind;
use crate::clock::Timestamp;
use crate::codec::Value;
use crate::error::Error;
use crate::events::Event;
use crate::flight::{self, Landing, Moved, Seat, Shared, Woken};
use crate::lease::{Grant, Look, Wish, ticking};
use crate::load::Lead;
use crate::outcome::{Kind, Miss, Outcome};
use crate::strategy::{Decision, Freshness, Times, decide};
use crate::target::{Found, Target};
use crate::waiting::Waiting;

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
            Some(shared) if insists => shared.store.latest(),
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
        if self.target.shared.is_some() && !self.insists {
            if let Some(member) = self.target.tiers.flights.join_missing(self.target.key.shared())
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
        loop {
            let member = self.target.tiers.flights.join(self.target.key.shared());
            match member.wait(self.target.patience()).await {
                Woken::Landed(landing) => {
                    if let Some(step) = self.accept(landing) {
                        return step;
                    }
                }
                Woken::Moved(Moved::Before) => {}
                Woken::Moved(Moved::Silent) => self.target.count(Event::Replaced),
                Woken::Moved(Moved::Stuck) if self.target.shared.is_none() => {
                    self.target.count(Event::Takeover);
                }
                Woken::Moved(Moved::Stuck) => {} // the lease has yet to be taken over
                Woken::Seated(seat) => return self.seated(seat).await,
            }
        }
    }

    /// What could be served without a load.
    pub(crate) async fn peek(mut self) -> Result<Option<Value>, Error> {
        let found = match self.target.shared.clone() {
            None => self.target.kept().ok(),
            Some(shared) => {
                let read = shared.store.read(&shared.tag, shared.shape);
                let bytes = self.target.budget.spend(read).await?;
                bytes.and_then(|bytes| self.target.open(&shared, &bytes).ok())
            }
        };
        Ok(found.filter(|found| self.is_servable(found)).map(|found| found.value))
    }

    fn is_servable(&self, found: &Found) -> bool {
        let stands = found.times.freshness(&self.target.policy, self.target.now());
        matches!(stands, Freshness::Fresh | Freshness::Stale)
    }

    async fn read(&mut self) -> Result<Found, Miss> {
        let Some(shared) = self.target.shared.clone() else { return self.target.kept() };
        let read = self.target.budget.spend(shared.store.read(&shared.tag, shared.shape)).await;
        self.looked = read.is_ok();
        match read {
            Ok(Some(bytes)) => self.target.open(&shared, &bytes),
            Ok(None) => Err(Miss::Cold),
            Err(_) => {
                self.degraded = true;
                Err(Miss::StoreDown)
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
            Decision::Load => {
                self.miss = Some(Miss::Expired);
                self.target.count(Event::MissExpired);
                self.last = Some(found);
                None
            }
        }
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
            Landing::Value { order, refused: true, .. } if order < self.order => None,
            Landing::Value { order, times, .. }
                if self.insists && !self.came_before(order, times) =>
            {
                None
            }
            Landing::Value { ref value, .. } if !self.target.accepts(value) => None,
            Landing::Value { value, times, last_resort, .. } => {
                let kind = if last_resort { Kind::StaleOnError } else { Kind::Joined };
                let age = times.map(|times| times.age(self.target.now()));
                Some(Step::Serve(Served { value, outcome: self.outcome(kind, age) }))
            }
            Landing::Failed { order, .. } if self.insists && !self.came_before(order, None) => None,
            Landing::Failed { error, .. } => {
                Some(Step::Failed(error, self.outcome(Kind::Joined, None)))
            }
        }
    }

    /// Whether this caller came before a load began, by the order of this process or by the stamp
    /// of what it stored.
    fn came_before(&self, order: u64, times: Option<Times>) -> bool {
        self.order < order || times.is_some_and(|times| self.asked < times.begun)
    }

    /// With the seat: look until there is an answer or a load to run.
    async fn seated(mut self, seat: Seat) -> Step {
        let lease = self.target.lease();
        let mut waiting = Waiting::default();
        let mut after = self.newer_than();
        let mut over = seat.over();
        let mut known = 0;
        loop {
            let order = flight::next_order();
            let wish = Wish { after, over, refresh: false };
            let begun = ticking(seat.flight(), lease, self.target.begin(wish)).await;
            let (look, time) = match begun {
                Ok(begun) => begun,
                Err(_) => return self.lead_cut_off(seat, order),
            };
            if self.insists {
                after = after.min(time); // the call came before its first look
            }
            match look {
                Look::Found(found) if self.answers(&found) => {
                    return self.found(seat, &found);
                }
                Look::Found(found) => {
                    after = found.times.begun;
                    self.last = Some(found);
                }
                Look::Lead(grant) => {
                    if over.is_some() {
                        seat.flight().taken_over(known + 1);
                    }
                    return self.lead(seat, grant, order);
                }
                Look::Held { by, takeovers, lapses } => {
                    known = takeovers;
                    let wait = self.target.patience().after_takeovers(takeovers);
                    over = ticking(
                        seat.flight(),
                        lease,
                        waiting.wait(&mut self.target, by, wait, lapses),
                    )
                    .await;
                    self.target.budget.refill();
                    self.looked = true;
                }
                Look::Failing(_) => {} // not for callers with nothing to serve
            }
        }
    }

    /// Entries begun later than this answer.
    fn newer_than(&self) -> Timestamp {
        match &self.last {
            _ if self.insists => self.asked,
            Some(last) => last.times.begun,
            None => Timestamp::ZERO,
        }
    }

    /// What was committed after this caller came answers it, even if its short life is over.
    fn answers(&self, found: &Found) -> bool {
        self.looked || self.insists || self.is_servable(found)
    }

    fn found(&self, seat: Seat, found: &Found) -> Step {
        seat.land(Landing::found(found));
        Step::Serve(self.serve(found, Kind::Joined))
    }

    fn lead(mut self, seat: Seat, grant: Grant, order: u64) -> Step {
        let lead = Lead::new(seat, self.target.clone(), grant, order, self.last.take(), false);
        Step::Lead(Box::new(lead), self.outcome(Kind::Computed, None))
    }

    /// Loads without the store: this process still loads once.
    fn lead_cut_off(mut self, seat: Seat, order: u64) -> Step {
        self.degraded = true;
        self.miss.get_or_insert(Miss::StoreDown);
        let begun = self.target.now();
        self.lead(seat, Grant { load: None, begun }, order)
    }
}
