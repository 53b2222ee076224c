//! A refresh of something that is served meanwhile: tries both locks and waits for neither.

use std::time::Duration;

use crate::flight::{Seat, next_order};
use crate::lease::{Look, Wish, ticking};
use crate::load::Lead;
use crate::permits::Pass;
use crate::target::{Found, Target};

/// A refresh held by somebody else is tried again after this: the holder may have left.
const LONGEST_HOLD: Duration = Duration::from_secs(1);

/// The seat of a refresh; whether it also gets the lease is not known yet.
pub(crate) struct Behind {
    seat: Seat,
    target: Target,
    last: Found,
    pass: Pass,
}

impl Behind {
    /// `None`: somebody in this process is at it, or it is known to be futile for a while, or as
    /// many loads as the function allows are running.
    pub(crate) fn new(target: &Target, last: Found) -> Option<Self> {
        let tiers = &target.tiers;
        if tiers.holds.stands(&target.key) {
            return None;
        }
        let seat = tiers.flights.join(target.key.shared()).try_seat().ok()?;
        let pass = target.caps().try_own()?;
        let current = seat.member().is_current();
        current.then(|| Self { seat, target: target.clone(), last, pass })
    }

    /// Asks for the load. `None`: somebody else refreshes, has refreshed, or it just failed.
    pub(crate) async fn begin(mut self, behind: bool) -> Option<Lead> {
        let order = next_order();
        let wish =
            Wish { after: self.last.times.begun, over: None, refresh: true, last_resort: false };
        let lease = self.target.lease();
        let begun = ticking(self.seat.flight(), lease, self.target.begin(wish)).await;
        let (look, _) = begun.ok()?;
        let (tiers, key) = (&self.target.tiers, &self.target.key);
        match look {
            Look::Lead(grant) => {
                let Self { seat, target, last, pass } = self;
                return Some(Lead::new(seat, target, grant, order, Some(last), behind, pass));
            }
            Look::Held { lapses, .. } => tiers.holds.hold(key, lapses.min(LONGEST_HOLD)),
            Look::Failing(span) => tiers.holds.failing(key, span),
            Look::Found(found) => {
                tiers.holds.clear(key);
                self.seat.land(found.landing(order));
            }
        }
        None
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }
}
