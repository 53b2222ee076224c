//! Waiting for the seat of a flight or for what it brings.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::{Landing, Member, Seat, State};
use crate::policy::LONGEST;

/// How long a waiter is willing to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For a sign of life.
    pub(crate) lease: Duration,
    /// For the end of a load that lives.
    pub(crate) wait: Duration,
    /// Not for a seat whose holder waits for what this waiter has: the right to load. It waits
    /// inside a load of the same function, so the one would wait for the other.
    pub(crate) overtakes: bool,
}

impl Patience {
    /// Each takeover makes the next one four times rarer.
    pub(crate) fn after_takeovers(self, takeovers: u32) -> Duration {
        self.wait.saturating_mul(4_u32.saturating_pow(takeovers)).min(LONGEST)
    }
}

/// Why a wait ended.
pub(crate) enum Woken {
    /// The seat is ours.
    Seated(Seat),
    /// The flight is over.
    Landed(Landing),
    /// Another flight is the key's flight now; this is the waiter's place in it.
    Moved(Member, Moved),
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
            state.mark_unchanged();
            if let Some(woken) = self.ended() {
                return woken;
            }
            self = match self.try_seat() {
                Ok(seat) => return seat.or_ended(),
                Err(member) => member,
            };
            if patience.overtakes && self.is_queued() {
                return self.overtake();
            }
            let limit = patience.after_takeovers(self.flight().takeovers());
            let deadline = self.busy_since().map(|since| since.max(arrived) + limit);
            let until = deadline.unwrap_or_else(|| Instant::now() + limit);
            let silent = self.flight().silent_at(patience.lease);
            if timeout_at(until.min(silent), state.changed()).await.is_err() {
                tokio::task::yield_now().await; // a leader that is due at this moment goes first
                if let Some(woken) = self.overdue(patience, arrived) {
                    return woken;
                }
            }
        }
    }

    /// Since when somebody loads without a sign of progress.
    fn busy_since(&self) -> Option<Instant> {
        match &*self.flight().state.borrow() {
            State::Loading(loading) => Some(loading.since),
            State::Turns(since) => Some(*since),
            _ => None,
        }
    }

    fn is_queued(&self) -> bool {
        matches!(&*self.flight().state.borrow(), State::Queued | State::Turns(_))
    }

    /// Gives the key a flight of this waiter's own.
    fn overtake(&self) -> Woken {
        let replaced = self.replace(self.flight().takeovers(), None);
        Woken::Moved(replaced.unwrap_or_else(|| self.rejoin()), Moved::Before)
    }

    fn ended(&self) -> Option<Woken> {
        // A copy: the registry below must not be asked while the watch is borrowed.
        let state = self.flight().state.borrow().clone();
        match state {
            State::Landed(landing) => Some(Woken::Landed(landing)),
            State::Replaced => Some(Woken::Moved(self.rejoin(), Moved::Before)),
            _ => None,
        }
    }

    /// Replaces a flight that is silent, or whose load is stuck.
    fn overdue(&self, patience: Patience, arrived: Instant) -> Option<Woken> {
        let now = Instant::now();
        let takeovers = self.flight().takeovers(); // as they are now: the fleet may have taken over
        let limit = patience.after_takeovers(takeovers);
        let stuck = self.busy_since().is_some_and(|since| now >= since.max(arrived) + limit);
        let (why, replaced) = if now >= self.flight().silent_at(patience.lease) {
            (Moved::Silent, self.replace(takeovers, None))
        } else if stuck {
            (Moved::Stuck, self.replace(takeovers + 1, self.flight().token()))
        } else {
            return None;
        };
        Some(match replaced {
            Some(member) => Woken::Moved(member, why),
            None => Woken::Moved(self.rejoin(), Moved::Before),
        })
    }
}

impl Seat {
    /// The seat, unless the flight ended while it was taken, or is not the key's flight any more:
    /// then whoever leads, leads in the key's own.
    fn or_ended(self) -> Woken {
        match self.member().ended() {
            Some(woken) => woken,
            None if self.member().is_current() => Woken::Seated(self),
            None => Woken::Moved(self.member().rejoin(), Moved::Before),
        }
    }
}
