//! With the seat: look until there is an answer or a load to run.

use super::{Ask, Step};
use crate::clock::Timestamp;
use crate::flight::{Seat, next_order};
use crate::lease::{Grant, Look, Wish, ticking};
use crate::load::Lead;
use crate::outcome::{Kind, Miss};
use crate::permits::Pass;
use crate::target::Found;
use crate::waiting::Waiting;

impl Ask {
    /// With the seat: look until there is an answer or a load to run.
    pub(super) async fn seated(mut self, seat: Seat) -> Step {
        let lease = self.target.lease();
        let mut waiting = Waiting::default();
        let mut after = self.newer_than();
        let mut over = seat.over();
        let mut known = 0;
        let mut waited = false;
        loop {
            let pass = match self.admitted(&seat, after, waited).await {
                Ok(pass) => pass,
                Err(crowded) => return self.crowded(seat, crowded),
            };
            let order = next_order();
            let wish = Wish { after, over, refresh: false };
            let begun = ticking(seat.flight(), lease, self.target.begin(wish)).await;
            let Ok((look, time)) = begun else { return self.cut_off(seat, after, order, pass) };
            if self.insists {
                after = after.min(time); // the call came before its first look
            }
            match look {
                Look::Found(found) if self.answers(&found) => {
                    seat.land(found.landing(order));
                    return Step::Serve(self.serve(&found, Kind::Joined));
                }
                Look::Found(found) => {
                    after = found.times.begun;
                    self.last = Some(found);
                }
                Look::Lead(grant) => {
                    if over.is_some() {
                        seat.flight().taken_over(known + 1);
                    }
                    return self.lead(seat, grant, order, pass);
                }
                Look::Held { by, takeovers, lapses } => {
                    drop(pass); // nothing is loaded here meanwhile
                    known = takeovers;
                    let wait = self.target.patience().after_takeovers(takeovers);
                    let elsewhere = waiting.wait(&mut self.target, by, wait, lapses);
                    over = ticking(seat.flight(), lease, elsewhere).await;
                    self.target.budget.refill();
                    (self.looked, waited) = (true, true);
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
    pub(super) fn answers(&self, found: &Found) -> bool {
        self.looked || self.insists || self.target.is_servable(found)
    }

    fn lead(mut self, seat: Seat, grant: Grant, order: u64, pass: Pass) -> Step {
        let (target, last) = (self.target.clone(), self.last.take());
        let lead = Lead::new(seat, target, grant, order, last, false, pass);
        Step::Lead(Box::new(lead), self.outcome(Kind::Computed, None))
    }

    /// Without the store: a copy put aside meanwhile, or a load. This process still loads once.
    fn cut_off(mut self, seat: Seat, after: Timestamp, order: u64, pass: Pass) -> Step {
        self.degraded = true;
        if let Some(spare) = self.target.spare().filter(|spare| spare.times.begun > after) {
            seat.land(spare.landing(order));
            return Step::Serve(self.serve(&spare, Kind::Joined));
        }
        self.miss.get_or_insert(Miss::StoreDown);
        let begun = self.target.now();
        self.lead(seat, Grant { load: None, begun }, order, pass)
    }
}
