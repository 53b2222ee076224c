//! The right to load a key in the whole fleet, and the heartbeat that keeps it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, Sleep, interval, sleep_until};

use crate::budget::Budget;
use crate::clock::Timestamp;
use crate::error::Error;
use crate::events::Event;
use crate::flight::{Flight, Landing, next_order};
use crate::outcome::Miss;
use crate::remote::{Errand, Release};
use crate::store::{Begin, Generation, Load, Mark, Next, Reply, Token};
use crate::target::{Found, SharedLevel, Target};

/// A load without a time limit of its own is renewed no longer than this, whatever it does.
pub(crate) const LONGEST_RENEWAL: Duration = Duration::from_secs(300);
/// A renewal without an answer is given up; the next one is due anyway.
const RENEWAL_DEADLINE: Duration = Duration::from_millis(250);

/// What a look at the shared level, ready to load, came to.
pub(crate) enum Look {
    /// A stored value answers.
    Found(Found),
    /// Load.
    Lead(Grant),
    /// Another process loads.
    Held { by: Token, takeovers: u32, lapses: Duration },
    /// The last load failed; what can be served is served until this is over.
    Failing(Duration),
}

/// A load that has begun. Without a `load` its value cannot be stored in the shared level.
#[derive(Clone, Copy)]
pub(crate) struct Grant {
    pub(crate) load: Option<Load>,
    pub(crate) begun: Timestamp,
}

/// What a caller that holds the seat is after.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    /// An entry begun later than this answers.
    pub(crate) after: Timestamp,
    /// Take the lease from this holder.
    pub(crate) over: Option<Token>,
    /// There is something to serve meanwhile.
    pub(crate) refresh: bool,
    /// There is something that may stand in for a failed load.
    pub(crate) last_resort: bool,
}

impl Target {
    /// One look that grants the load if it is due. The second value is the server's time.
    pub(crate) async fn begin(&mut self, wish: Wish) -> Result<(Look, Timestamp), Error> {
        let Some(shared) = self.shared.clone() else { return Ok(self.begin_here(wish)) };
        let mut after = wish.after;
        loop {
            let ask = self.ask(&shared, after, wish);
            let unheard = Unheard(Some((self.clone(), ask.token)));
            let begun =
                self.send(Errand::Begin, &shared, |store, key| store.begin(key, ask)).await?;
            unheard.heard();
            let look = match begun.next {
                Next::Entry(bytes) => match self.open(&shared, &bytes) {
                    Ok(found) => Look::Found(found),
                    Err(miss) => {
                        self.count(Miss::event(miss));
                        after = Timestamp::MAX; // unreadable for us: load over it
                        continue;
                    }
                },
                Next::Lead { leased, .. } => {
                    if wish.over.is_some() {
                        self.count(Event::Takeover);
                    }
                    let (token, generation) = (ask.token, begun.generation);
                    let load = Load { token, generation, begun: begun.time, leased };
                    self.spare_or_lead(load, after)
                }
                Next::Held { by, takeovers, lapses } => Look::Held { by, takeovers, lapses },
                Next::Failing(span) => Look::Failing(span),
            };
            return Ok((look, begun.time));
        }
    }

    /// A copy of what the store did not take serves as if it had: nothing has changed since.
    fn spare_or_lead(&self, load: Load, after: Timestamp) -> Look {
        match self.spare_under(load.generation).filter(|spare| spare.times.begun > after) {
            Some(spare) => {
                release_behind(self, load, Mark::Nothing);
                Look::Found(spare)
            }
            None => Look::Lead(Grant { load: Some(load), begun: load.begun }),
        }
    }

    fn ask(&self, shared: &SharedLevel, after: Timestamp, wish: Wish) -> Begin {
        Begin {
            shape: shared.shape,
            after,
            token: Token::fresh(),
            lease: self.lease(),
            exclusive: self.policy.strategy.is_protected(),
            over: wish.over,
            refresh: wish.refresh,
            last_resort: wish.last_resort,
        }
    }

    /// The same for a value that lives in this process: the seat is the lease.
    fn begin_here(&self, wish: Wish) -> (Look, Timestamp) {
        let now = Timestamp::from_micros(next_order());
        let look = match self.kept() {
            Ok(found) if found.times.begun > wish.after => Look::Found(found),
            _ => Look::Lead(Grant { load: None, begun: now }),
        };
        (look, now)
    }
}

/// Keeps the flight alive while `work` is polled: ticks it, at least every third of a lease.
pub(crate) async fn ticking<F: Future>(flight: &Flight, lease: Duration, work: F) -> F::Output {
    let mut work = pin!(work);
    let mut timer = interval(lease / 3);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    poll_fn(|cx| {
        flight.tick();
        while timer.poll_tick(cx).is_ready() {}
        work.as_mut().poll(cx)
    })
    .await
}

/// A question to the store whose answer nobody may hear: the caller leaves, or time is up. What it
/// took is then given back.
struct Unheard(Option<(Target, Token)>);

impl Unheard {
    fn heard(mut self) {
        self.0 = None;
    }
}

impl Drop for Unheard {
    fn drop(&mut self) {
        let Some((target, token)) = self.0.take() else { return };
        let (generation, begun) = (Generation::NONE, Timestamp::ZERO);
        release_behind(&target, Load { token, generation, begun, leased: true }, Mark::Nothing);
    }
}

/// Gives back what a load holds from a task of its own: a drop cannot wait.
pub(crate) fn release_behind(target: &Target, load: Load, mark: Mark) {
    let Some(shared) = &target.shared else { return };
    let release = Release::new(&shared.remote, &shared.tag, load, mark, target.lease());
    target.tiers.running.give_back(release.send(target.tiers.defaults.io_budget));
}

impl Found {
    /// For those who came before the look that found it was sent.
    pub(crate) fn landing(&self, order: u64) -> Landing {
        Landing::Found { value: self.value.clone(), times: self.times, order }
    }
}

/// Renews a lease at a third of its life, by absolute deadlines, while the load is polled.
pub(crate) struct Heartbeat {
    every: Duration,
    timer: Pin<Box<Sleep>>,
    until: Instant,
    overdue: bool,
    renewing: Option<Reply<'static, bool>>,
    load: Option<Load>,
}

impl Heartbeat {
    pub(crate) fn new(target: &Target, load: Option<Load>) -> Self {
        let now = Instant::now();
        let every = target.lease() / 3;
        Self {
            every,
            timer: Box::pin(sleep_until(now + every)),
            until: now + target.policy.limit().unwrap_or(LONGEST_RENEWAL),
            overdue: false,
            renewing: None,
            load,
        }
    }

    /// Does what is due and leaves a wake-up for what will be. Never ready: the load is.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, target: &Target) {
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            let mut next = self.timer.deadline() + self.every;
            if next <= now {
                next = now + self.every; // the loader kept its thread: no burst of missed beats
            }
            self.timer.as_mut().reset(next);
            if now >= self.until {
                self.give_up(target);
            } else if self.renewing.is_none() {
                self.renewing = self.load.and_then(|load| renewal(target, load));
            }
        }
        if let Some(renewing) = &mut self.renewing
            && let Poll::Ready(renewed) = renewing.as_mut().poll(cx)
        {
            self.renewing = None;
            if let (Ok(false), Some(load)) = (renewed, &mut self.load) {
                load.leased = false; // somebody else's now; the load mark is still ours
                target.count(Event::LeaseLost);
            }
        }
    }
}

impl Heartbeat {
    /// Whoever waits takes over; the loader may go on for as long as it likes. Said to the person
    /// on call, and once.
    fn give_up(&mut self, target: &Target) {
        if std::mem::replace(&mut self.overdue, true) || target.policy.limit().is_some() {
            return; // a time limit ends it anyway
        }
        target.count(Event::LoadOverdue);
        let (function, key) = (target.function.name(), target.public_key());
        tracing::warn!(
            function,
            %key,
            "a load has run for {LONGEST_RENEWAL:?} and is given up; give the function a `timeout`"
        );
    }
}

fn renewal(target: &Target, load: Load) -> Option<Reply<'static, bool>> {
    let shared = target.shared.clone()?;
    let lease = target.lease();
    Some(Box::pin(async move {
        let mut budget = Budget::new(RENEWAL_DEADLINE);
        let renewal = shared.remote.ask(Errand::Other, &shared.tag, &mut budget, |store, key| {
            store.renew(key, load, lease)
        });
        renewal.await
    }))
}
