//! The seat of a flight, and what its holder may do.

use std::sync::atomic::Ordering;

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use super::{ELECTIONS, Flight, Landing, Loading, Member, State};
use crate::store::Token;

/// The right to look, to wait for other processes and to load, for all members of the flight.
pub(crate) struct Seat {
    member: Member,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Seat {
    pub(super) fn new(member: Member, guard: OwnedMutexGuard<()>) -> Self {
        member.flight().tick();
        member.flight().quietly(State::Busy);
        Self { member, guard: Some(guard) }
    }

    pub(crate) fn flight(&self) -> &Flight {
        self.member.flight()
    }

    pub(crate) fn member(&self) -> &Member {
        &self.member
    }

    /// The lease holder behind a stuck flight that this one replaced.
    pub(crate) fn over(&self) -> Option<Token> {
        self.flight().over
    }

    /// The holder waits until fewer loads of the function run. Everybody is told: who has the right
    /// to load already does not wait for that.
    pub(crate) fn queues(&self) {
        self.flight().announce(State::Queued, || ());
    }

    /// That is over.
    pub(crate) fn looks(&self) {
        self.flight().quietly(State::Busy);
    }

    /// A loader runs from now on.
    pub(crate) fn loading(&self, missing: bool, token: Option<Token>) {
        self.flight().tick();
        self.flight().quietly(State::Loading(Loading { since: Instant::now(), missing, token }));
    }

    /// No newcomer joins any more.
    pub(crate) fn close(&self) {
        self.member.close();
    }

    /// Ends the flight with something for everybody.
    pub(crate) fn land(self, landing: Landing) {
        self.member.close();
        self.flight().announce(State::Landed(landing), || ());
    }

    /// Lets everybody run the loader for itself, a few at a time.
    pub(crate) fn open_turns(self) {
        self.flight().announce(State::Turns(Instant::now()), || ());
    }

    /// The loader panicked: another leader, or turns when it keeps happening.
    pub(crate) fn panicked(self) {
        if self.flight().panics.fetch_add(1, Ordering::Relaxed) >= ELECTIONS {
            self.flight().announce(State::Turns(Instant::now()), || ());
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let guard = self.guard.take();
        // In one moment: who is woken finds the seat free, and who takes it is not said to have left.
        self.flight().announce(State::Free, || drop(guard));
    }
}
