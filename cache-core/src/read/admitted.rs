//! Where the loads of a function are limited in number: a permit before the store is asked, so
//! that nobody holds a lease while queueing; and what a caller gets who cannot have one.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::{Ask, Step};
use crate::clock::Timestamp;
use crate::error::LoadFailed;
use crate::events::Event;
use crate::flight::{Landing, Seat, Shared, next_order};
use crate::lease::ticking;
use crate::outcome::{Kind, Miss};
use crate::permits::{Admitted, Pass};
use crate::strategy::Freshness;
use crate::target::Found;

/// What there is in place of a load.
pub(super) enum Instead {
    /// A value that was stored meanwhile, and the order of the look that found it.
    Answered(Found, u64),
    /// The last value, the order of the look that confirmed it, and why there is no load.
    Last(Found, u64, StandsIn),
    /// Nothing in time.
    Late(LoadFailed),
}

/// Why the last value stands in although nothing was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum StandsIn {
    /// Too many loads run.
    Crowded,
    /// A load has failed a moment ago.
    Failing,
}

impl Ask {
    /// The permits to load, where any are needed. `waited`: for another process, so there may be an
    /// entry that answers, begun later than `after`.
    pub(super) async fn admitted(
        &mut self,
        seat: &Seat,
        after: Timestamp,
        waited: bool,
    ) -> Result<Pass, Instead> {
        let caps = self.target.caps();
        if let Some(pass) = caps.take().await {
            return Ok(pass);
        }
        let stands = !self.insists && self.last_stands();
        if stands || waited {
            self.look_again(seat, after, stands, StandsIn::Crowded).await?;
        }
        seat.queues();
        let patience = self.target.patience().wait;
        let queued = ticking(seat.flight(), self.target.lease(), caps.wait(patience));
        let admitted = match self.target.policy.limit() {
            None => queued.await,
            Some(limit) => match timeout(limit, queued).await {
                Ok(admitted) => admitted,
                Err(_) => {
                    if self.last_stands() {
                        self.look_again(seat, after, true, StandsIn::Crowded).await?;
                    }
                    let function = self.target.function.name();
                    return Err(Instead::Late(LoadFailed::overloaded(function, limit)));
                }
            },
        };
        seat.looks();
        Ok(self.counted(admitted, patience))
    }

    /// Loads of one function that wait for each other stay within no number. Said to the person on
    /// call.
    fn counted(&self, admitted: Admitted, patience: Duration) -> Pass {
        let pass = match admitted {
            Admitted::Within(pass) => return pass,
            Admitted::Over(pass) => pass,
        };
        self.target.count(Event::CapExceeded);
        let (function, key) = (self.target.function.name(), self.target.public_key());
        if self.target.function.over_the_cap.due() {
            tracing::warn!(
                function,
                %key,
                "none of the loads that run has ended within {patience:?}, so one more runs: do they \
                 wait for each other?"
            );
        }
        pass
    }

    pub(super) fn last_stands(&self) -> bool {
        let stands = |last: &Found| last.times.freshness(&self.target.policy, self.target.now());
        self.last.as_ref().is_some_and(|last| stands(last) != Freshness::Gone)
    }

    /// Reads once more. A value that is to stand in for everybody is confirmed that way, while
    /// nobody can join: who comes after an invalidation must not get what it removed.
    pub(super) async fn look_again(
        &mut self,
        seat: &Seat,
        after: Timestamp,
        stands_in: bool,
        why: StandsIn,
    ) -> Result<(), Instead> {
        let order = next_order();
        if stands_in {
            seat.close();
        }
        let lease = self.target.lease();
        match ticking(seat.flight(), lease, self.read()).await {
            Ok(found) => self.last = Some(found),
            Err(Miss::StoreDown) => {}
            Err(_) => self.last = None,
        }
        match &self.last {
            Some(found) if found.times.begun > after && self.answers(found) => {
                Err(Instead::Answered(found.clone(), order))
            }
            Some(last) if stands_in && self.last_stands() => {
                Err(Instead::Last(last.clone(), order, why))
            }
            _ => Ok(()),
        }
    }

    /// Answers everybody without a load.
    pub(super) fn instead(self, seat: Seat, instead: Instead) -> Step {
        match instead {
            Instead::Answered(found, order) => {
                seat.land(found.landing(order));
                Step::Serve(self.serve(&found, Kind::Joined))
            }
            Instead::Last(last, order, why) => {
                if why == StandsIn::Crowded {
                    self.target.count(Event::Overloaded);
                    self.tell_crowded();
                }
                let served = self.serve(&last, Kind::StaleOnError);
                let (value, times) = (last.value, Some(last.times));
                let (refused, last_resort) = (false, true);
                seat.land(Landing::Value { value, times, order, refused, last_resort });
                Step::Serve(served)
            }
            Instead::Late(failed) => {
                self.target.count(Event::Overloaded);
                let failed: Shared = Arc::new(failed);
                let (error, order) = (Arc::clone(&failed), next_order());
                seat.land(Landing::Failed { error, order, refused: false });
                Step::Failed(failed, self.outcome(Kind::Computed, None))
            }
        }
    }

    /// Said to the person on call.
    fn tell_crowded(&self) {
        let (function, key) = (self.target.function.name(), self.target.public_key());
        if self.target.function.last_resorts.due() {
            tracing::warn!(function, %key, "too many loads are running; the last value stands in");
        }
    }
}
