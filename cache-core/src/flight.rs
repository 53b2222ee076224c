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
mod wait;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use once_cell::sync::Lazy;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tokio::time::Instant;

pub(crate) use registry::{Flights, Member, Run};
pub(crate) use seat::Seat;
pub(crate) use wait::{Moved, Patience, Woken};

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
    /// The value of a load that began at `order`; the last value, where the load failed. `refused`:
    /// the key was changed since, so it is only for those who came before.
    Value { value: Value, times: Option<Times>, order: u64, refused: bool, last_resort: bool },
    /// A value that was found stored by a look sent at `order`: only for those who came before.
    Found { value: Value, times: Times, order: u64 },
    /// The error of a load that began at `order`.
    Failed { error: Shared, order: u64, refused: bool },
}

#[derive(Clone)]
enum State {
    /// Nobody holds the seat.
    Free,
    /// Somebody looks, or waits for another process.
    Busy,
    /// Somebody waits until fewer loads of the function run.
    Queued,
    /// A loader runs.
    Loading(Loading),
    /// Errors cannot be shared: [`TURNS`] seats, each caller for itself. Since when none of them
    /// was taken or left.
    Turns(Instant),
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
        let open = if matches!(*self.state.borrow(), State::Turns(_)) { TURNS } else { 1 };
        self.seats[..open].iter().find_map(|seat| Arc::clone(seat).try_lock_owned().ok())
    }

    /// Changes the state without waking anybody: nothing a waiter could act on has happened.
    fn quietly(&self, state: State) {
        self.state.send_if_modified(|current| {
            match current {
                State::Free | State::Busy | State::Queued | State::Loading(_) => *current = state,
                State::Turns(since) => *since = Instant::now(),
                State::Landed(_) | State::Replaced => {}
            }
            false
        });
    }

    /// Wakes everybody, unless the flight is already over. `first` runs at the same moment: nobody
    /// sees the one without the other.
    fn announce(&self, state: State, first: impl FnOnce()) {
        self.state.send_if_modified(|current| {
            first();
            let over = matches!(current, State::Landed(_) | State::Replaced);
            let keeps =
                matches!((&*current, &state), (State::Turns(_), State::Free | State::Queued));
            if !over && !keeps {
                *current = state;
            }
            !over
        });
    }

    /// The lease of the load that runs.
    fn token(&self) -> Option<Token> {
        match &*self.state.borrow() {
            State::Loading(loading) => loading.token,
            _ => None,
        }
    }
}
