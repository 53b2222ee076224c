//! The leader's job: run the loader beside the heartbeat, store what it brought, tell everybody.

mod settle;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use crate::codec::Value;
use crate::error::LoadFailed;
use crate::events::Event;
use crate::flight::{Landing, Run, Seat, Shared};
use crate::lease::{Grant, Heartbeat, release_behind};
use crate::limit::Limit;
use crate::permits::{Nesting, Pass};
use crate::running::{Held, Place};
use crate::store::Mark;
use crate::strategy::Freshness;
use crate::target::{Found, Target};

use settle::Kept;

/// A load that is ours to run. Dropped unsettled, it frees the seat at once and the lease behind.
pub(crate) struct Lead {
    seat: Option<Seat>,
    run: Arc<Run>,
    target: Target,
    grant: Grant,
    order: u64,
    last: Option<Found>,
    /// Nobody waits for it: a background refresh.
    behind: bool,
    cost: Duration,
    panicked: bool,
    settled: bool,
    pass: Pass,
    nesting: Nesting,
    /// Of the store, when the load was asked for.
    episode: u64,
    place: Place,
}

/// What a load came to, for the caller who ran it.
pub(crate) enum Settled {
    /// The value everybody gets, and whether it is stored.
    Value(Value, bool),
    /// The last value, which stands in for a failed load, and its age.
    LastResort(Value, Duration),
    /// The leader's own error.
    Error,
}

impl Lead {
    /// `order` was drawn before the load was asked for; `last` is what could be served at worst.
    /// `pass` is given back when the loader has ended.
    pub(crate) fn new(
        seat: Seat,
        target: Target,
        grant: Grant,
        order: u64,
        last: Option<Found>,
        behind: bool,
        pass: Pass,
    ) -> Self {
        let run = seat.member().flights().start(seat.member().key());
        let servable = last.as_ref().is_some_and(|last| target.is_servable(last));
        let leased = grant.load.filter(|load| load.leased);
        seat.loading(!servable, leased.map(|load| load.token));
        target.count(Event::Load);
        let held = target.shared.as_ref().zip(grant.load).map(|(shared, load)| {
            let (remote, tag) = (Arc::clone(&shared.remote), Arc::clone(&shared.tag));
            Held { remote, tag, load }
        });
        let episode = target.shared.as_ref().map_or(0, |shared| shared.remote.episode(&shared.tag));
        Self {
            seat: Some(seat),
            run,
            grant,
            order,
            last,
            behind,
            cost: Duration::ZERO,
            panicked: false,
            settled: false,
            nesting: Nesting::here(target.loading(), &pass),
            episode,
            place: target.tiers.running.enter(held),
            pass,
            target,
        }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    fn seat(&self) -> &Seat {
        self.seat.as_ref().expect("the seat leaves with the lead")
    }

    /// Stores the value if it may be, and hands it to everybody.
    pub(crate) async fn land(mut self, value: Value) -> Settled {
        let Kept { value, times, refused } = match self.target.shared.clone() {
            None => self.keep(value),
            Some(shared) => self.commit(&shared, value).await,
        };
        self.settled = true;
        let landing = Landing::Value {
            value: Arc::clone(&value),
            times,
            order: self.order,
            refused,
            last_resort: false,
        };
        self.seat.take().expect("settled once").land(landing);
        Settled::Value(value, times.is_some())
    }

    /// After an error: the last value for everybody if it may stand in, else the error if it can
    /// be shared, else turns.
    pub(crate) async fn fail(mut self, error: Option<Shared>) -> Settled {
        self.target.count(Event::LoadFailed);
        let most = self.longest_retry();
        self.target.tiers.holds.failed(&self.target.key, self.retry_after(), most);
        let last = self.standing();
        if last.is_some() || error.is_some() {
            self.seat().close(); // as before a commit: who comes now asks the store
        }
        let stands = match &last {
            Some(last) => self.still_stands(last.times.begun).await,
            None => true,
        };
        let current = self.leave(Mark::Failed { first: self.retry_after(), most }).await;
        self.settled = true;
        // What was removed since it was read is for nobody but the leader: it came before.
        let order = if stands { self.order } else { 0 };
        let refused = self.run.is_refused() || !current || !stands;
        let seat = self.seat.take().expect("settled once");
        if let Some(Found { value, times }) = last {
            let age = times.age(self.target.now());
            let (shared, times) = (Arc::clone(&value), Some(times));
            seat.land(Landing::Value { value: shared, times, order, refused, last_resort: true });
            return Settled::LastResort(value, age);
        }
        match error {
            Some(error) => seat.land(Landing::Failed { error, order, refused }),
            None => seat.open_turns(),
        }
        Settled::Error
    }

    /// The last value, if it may stand in for a failed load. Said to the person on call.
    fn standing(&mut self) -> Option<Found> {
        let (policy, now) = (self.target.policy, self.target.now());
        let last = self
            .last
            .take()
            .filter(|last| last.times.freshness(&policy, now) != Freshness::Gone)?;
        let (function, key) = (self.target.function.name(), self.target.public_key());
        let age = last.times.age(now);
        if self.target.function.last_resorts.due() {
            tracing::warn!(function, %key, ?age, "a load failed; the last value stands in");
        }
        Some(last)
    }

    fn retry_after(&self) -> Duration {
        self.cost.saturating_mul(2).max(Duration::from_secs(1))
    }

    fn longest_retry(&self) -> Duration {
        (self.target.policy.longest_life() / 5).max(Duration::from_secs(1))
    }

    fn leave_behind(&self, mark: Mark) {
        if let Some(load) = self.grant.load.filter(|_| !self.place.is_let_go()) {
            release_behind(&self.target, load, mark);
        }
    }

    fn note_panic(&self) {
        self.target.count(Event::LoadPanicked);
        let function = self.target.function.name();
        if self.behind && self.target.function.refresh_inline() {
            tracing::warn!(
                function,
                "a background refresh panicked; from now on callers refresh inline (does the \
                 body read a task-local?)"
            );
        }
        self.target.tiers.holds.failed(&self.target.key, self.retry_after(), self.longest_retry());
    }
}

/// Polls a loader whose type only the caller knows.
pub(crate) type Poller<'l> = dyn FnMut(&mut Context<'_>) -> Poll<()> + 'l;

/// A load while its loader runs. The loader stays with the caller, so that this is compiled once.
pub(crate) struct Beside {
    lead: Box<Lead>,
    started: Instant,
    heartbeat: Heartbeat,
    limit: Limit,
}

impl Beside {
    pub(crate) fn new(lead: Box<Lead>) -> Self {
        let heartbeat = Heartbeat::new(&lead.target, lead.grant.load);
        let limit = Limit::new(&lead.target.policy, lead.target.function);
        Self { lead, started: Instant::now(), heartbeat, limit }
    }

    /// Runs the loader within its time limit. Its panic goes on to the caller, noted.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        loader: &mut Poller<'_>,
    ) -> Poll<Result<(), LoadFailed>> {
        let lead = &mut *self.lead;
        lead.seat().flight().tick();
        if !lead.place.is_let_go() {
            self.heartbeat.poll(cx, &lead.target);
        }
        let polled = lead.nesting.enter();
        let poll = catch_unwind(AssertUnwindSafe(|| loader(cx)));
        drop(polled);
        let poll = poll.unwrap_or_else(|panic| {
            lead.panicked = true;
            resume_unwind(panic)
        });
        match poll {
            Poll::Ready(()) => Poll::Ready(Ok(())),
            Poll::Pending => self.limit.poll_over(cx, &lead.target.tiers.counters).map(Err),
        }
    }

    /// The loader has ended, and is dropped: before anybody is told, and what it held with it.
    pub(crate) fn done(mut self) -> Box<Lead> {
        self.lead.pass = Pass::default();
        self.lead.cost = self.started.elapsed();
        if self.lead.behind {
            self.lead.target.budget.refill(); // nobody waits for it
        }
        self.lead
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        self.target.tiers.flights.end(self.target.key.as_str(), &self.run);
        if self.settled {
            self.place.finished();
            return;
        }
        let Some(seat) = self.seat.take() else { return };
        if self.panicked {
            self.note_panic();
            self.leave_behind(Mark::Failed {
                first: self.retry_after(),
                most: self.longest_retry(),
            });
            seat.panicked();
        } else {
            self.target.count(Event::LoadLeft);
            self.leave_behind(Mark::Nothing);
        }
    }
}
