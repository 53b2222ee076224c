//! One load of one key in this process: a seat, and a watch that says what became of it.
//!
//! The seat is a `tokio::sync::Mutex`, taken only by `try_lock`. Nobody queues on it: a fair queue
//! hangs behind a waiter that is not being polled. Everybody else waits on the watch.
//!
//! Who holds the seat ticks the flight while it is polled. A flight that has not been ticked for a
//! lease is replaced in the registry by its first waiter; late ticks and landings on the old record
//! touch nobody.

mod registry;
mod seat;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use once_cell::sync::Lazy;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tokio::time::{Instant, timeout_at};

pub(crate) use registry::{Flights, Member, Run};
pub(crate) use seat::Seat;

use crate::codec::Value;
use crate::store::Token;
use crate::strategy::Times;

/// An error in a form every waiter can be given.
pub(crate) type Shared = Arc<dyn std::any::Any + Send + Sync>;

/// Callers that may run a loader each for itself after an error that cannot be shared.
pub(crate) const TURNS: usize = 4;

/// Panics of one episode that elect a new leader; the next one is treated like an error.
const ELECTIONS: u32 = 2;

/// The order of things in this process. Whatever is drawn later happened later.
pub(crate) fn next_order() -> u64 {
    static ORDER: AtomicU64 = AtomicU64::new(1);
    ORDER.fetch_add(1, Ordering::SeqCst)
}

/// What a flight brought.
#[derive(Clone)]
pub(crate) enum Landing {
    /// A value for everybody, unless `refused`: then only for who came before the load began.
    Value { value: Value, times: Option<Times>, order: u64, refused: bool, last_resort: bool },
    /// The leader's error.
    Failed { error: Shared, order: u64 },
}

#[derive(Clone)]
enum State {
    /// Nobody holds the seat.
    Free,
    /// Somebody looks, or waits for another process.
    Busy,
    /// A loader runs.
    Loading(Loading),
    /// Errors cannot be shared: [`TURNS`] seats, each caller for itself.
    Turns,
    /// Over.
    Landed(Landing),
    /// Another flight took this one's place.
    Replaced,
}

/// A running load, as waiters see it.
#[derive(Clone, Copy)]
struct Loading {
    since: Instant,
    /// There is nothing to serve meanwhile.
    missing: bool,
    token: Option<Token>,
}

pub(crate) struct Flight {
    seats: [Arc<Mutex<()>>; TURNS],
    state: watch::Sender<State>,
    ticked: AtomicU64,
    takeovers: AtomicU32,
    /// The holder to take the lease from, after a stuck flight.
    over: Option<Token>,
    panics: AtomicU32,
}

static EPOCH: Lazy<Instant> = Lazy::new(Instant::now);

fn now_ms() -> u64 {
    u64::try_from(EPOCH.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Flight {
    fn new(takeovers: u32, over: Option<Token>) -> Self {
        Self {
            seats: Default::default(),
            state: watch::Sender::new(State::Free),
            ticked: AtomicU64::new(now_ms()),
            takeovers: AtomicU32::new(takeovers),
            over,
            panics: AtomicU32::new(0),
        }
    }

    /// A sign of life of whoever holds the seat.
    pub(crate) fn tick(&self) {
        self.ticked.store(now_ms(), Ordering::Relaxed);
    }

    /// The fleet has taken the load over this often: those who wait here are as patient as those
    /// who wait elsewhere.
    pub(crate) fn taken_over(&self, takeovers: u32) {
        self.takeovers.fetch_max(takeovers, Ordering::Relaxed);
    }

    fn takeovers(&self) -> u32 {
        self.takeovers.load(Ordering::Relaxed)
    }

    fn silent_at(&self, lease: Duration) -> Instant {
        *EPOCH + Duration::from_millis(self.ticked.load(Ordering::Relaxed)) + lease
    }

    fn try_seat(&self) -> Option<OwnedMutexGuard<()>> {
        let open = if matches!(*self.state.borrow(), State::Turns) { TURNS } else { 1 };
        self.seats[..open].iter().find_map(|seat| Arc::clone(seat).try_lock_owned().ok())
    }

    /// Changes the state without waking anybody: nothing a waiter could act on has happened.
    fn quietly(&self, state: State) {
        self.state.send_if_modified(|current| {
            if matches!(current, State::Free | State::Busy | State::Loading(_)) {
                *current = state;
            }
            false
        });
    }

    /// Wakes everybody, unless the flight is already over.
    fn announce(&self, state: State) {
        self.state.send_if_modified(|current| {
            let over = matches!(current, State::Landed(_) | State::Replaced);
            let keeps = matches!((&*current, &state), (State::Turns, State::Free));
            if !over && !keeps {
                *current = state;
            }
            !over
        });
    }
}

/// How long a waiter is willing to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For a sign of life.
    pub(crate) lease: Duration,
    /// For the end of a load that lives.
    pub(crate) wait: Duration,
}

impl Patience {
    /// Each takeover makes the next one four times rarer.
    pub(crate) fn after_takeovers(self, takeovers: u32) -> Duration {
        self.wait.saturating_mul(4_u32.saturating_pow(takeovers))
    }
}

/// Why a wait ended.
pub(crate) enum Woken {
    /// The seat is ours.
    Seated(Seat),
    /// The flight is over.
    Landed(Landing),
    /// The flight is not the key's flight any more: join again.
    Moved(Moved),
}

/// Who gave the key another flight, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// Somebody else.
    Before,
    /// This waiter: whoever held the seat gave no sign of life.
    Silent,
    /// This waiter: the load took longer than it was ready to wait.
    Stuck,
}

impl Member {
    /// Takes the seat if it is free.
    pub(crate) fn try_seat(self) -> Result<Seat, Self> {
        match self.flight().try_seat() {
            Some(guard) => Ok(Seat::new(self, guard)),
            None => Err(self),
        }
    }

    /// Waits for the seat or for what the flight brings. Cancel-safe: nothing is queued.
    pub(crate) async fn wait(mut self, patience: Patience) -> Woken {
        let arrived = Instant::now();
        let mut state = self.flight().state.subscribe();
        loop {
            let deadline = match &*state.borrow_and_update() {
                State::Landed(landing) => return Woken::Landed(landing.clone()),
                State::Replaced => return Woken::Moved(Moved::Before),
                State::Loading(loading) => Some(loading.since.max(arrived)),
                _ => None,
            }
            .map(|since| since + patience.after_takeovers(self.flight().takeovers()));
            self = match self.try_seat() {
                Ok(seat) => return Woken::Seated(seat),
                Err(member) => member,
            };
            let silent = self.flight().silent_at(patience.lease);
            let unknown = arrived + patience.wait.max(Duration::from_millis(1));
            let until =
                deadline.unwrap_or_else(|| unknown.max(Instant::now() + patience.lease / 3));
            if timeout_at(until.min(silent), state.changed()).await.is_err() {
                tokio::task::yield_now().await; // a leader that is due at this moment goes first
                if let Some(moved) = self.overdue(patience, deadline) {
                    return Woken::Moved(moved);
                }
            }
        }
    }

    /// Replaces a flight that is silent, or whose load is stuck.
    fn overdue(&self, patience: Patience, deadline: Option<Instant>) -> Option<Moved> {
        let now = Instant::now();
        // A statement of its own: `replace` below must not meet the borrow of the watch.
        let (why, takeovers, over) = match (&*self.flight().state.borrow(), deadline) {
            _ if now >= self.flight().silent_at(patience.lease) => {
                (Moved::Silent, self.flight().takeovers(), None)
            }
            (State::Loading(loading), Some(deadline)) if now >= deadline => {
                (Moved::Stuck, self.flight().takeovers() + 1, loading.token)
            }
            _ => return None,
        };
        Some(if self.replace(takeovers, over) { why } else { Moved::Before })
    }
}
