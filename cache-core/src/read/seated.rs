//! With the seat: look until there is an answer or a load to run.

use std::time::Duration;

use super::admitted::StandsIn;
use super::{Ask, Step};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::flight::{Seat, next_order};
use crate::lease::{Grant, Look, Wish, ticking};
use crate::load::Lead;
use crate::outcome::{Kind, Miss};
use crate::permits::Pass;
use crate::store::Token;
use crate::target::Found;
use crate::waiting::Waiting;

/// What is known from one look to the next.
struct Sight {
    /// An entry begun later than this answers.
    after: Timestamp,
    /// Take the lease from this holder.
    over: Option<Token>,
    /// How often the lease has been taken over.
    takeovers: u32,
    /// Another process was waited for.
    waited: bool,
    waiting: Waiting,
}

/// A load in another process.
struct Elsewhere {
    by: Token,
    takeovers: u32,
    lapses: Duration,
}

impl Ask {
    /// With the seat: look until there is an answer or a load to run.
    pub(super) async fn seated(mut self, seat: Seat) -> Step {
        let mut sight = self.first_sight(&seat);
        loop {
            let pass = match self.admitted(&seat, sight.after, sight.waited).await {
                Ok(pass) => pass,
                Err(instead) => return self.instead(seat, instead),
            };
            let (order, budget) = (next_order(), self.target.budget);
            let Ok(look) = self.look(&seat, &mut sight).await else {
                return self.cut_off(seat, sight.after, order, pass);
            };
            match look {
                Look::Found(found) if self.answers(&found) => {
                    seat.land(found.landing(order));
                    return Step::Serve(self.serve(&found, Kind::Joined));
                }
                Look::Found(found) => {
                    sight.after = found.times.begun;
                    self.last = Some(found);
                }
                Look::Lead(grant) => {
                    if sight.over.is_some() {
                        seat.flight().taken_over(sight.takeovers + 1);
                    }
                    return self.lead(seat, grant, order, pass);
                }
                Look::Held { by, takeovers, lapses } => {
                    drop(pass); // nothing is loaded here meanwhile
                    self.target.budget = budget; // an answered look is part of the wait
                    self.wait_for(Elsewhere { by, takeovers, lapses }, &seat, &mut sight).await;
                }
                Look::Failing(span) => {
                    drop(pass);
                    self.target.tiers.holds.failing(&self.target.key, span);
                    let stood = self.look_again(&seat, sight.after, true, StandsIn::Failing).await;
                    if let Err(instead) = stood {
                        return self.instead(seat, instead);
                    } // else it was removed: there is nothing to serve any more
                }
            }
        }
    }

    fn first_sight(&self, seat: &Seat) -> Sight {
        let (after, over) = (self.newer_than(), seat.over());
        Sight { after, over, takeovers: 0, waited: false, waiting: Waiting::default() }
    }

    async fn look(&mut self, seat: &Seat, sight: &mut Sight) -> Result<Look, Error> {
        let last_resort = !self.insists && self.last_stands();
        let wish = Wish { after: sight.after, over: sight.over, refresh: false, last_resort };
        let lease = self.target.lease();
        let (look, time) = ticking(seat.flight(), lease, self.target.begin(wish)).await?;
        if self.insists {
            sight.after = sight.after.min(time); // the call came before its first look
        }
        Ok(look)
    }

    async fn wait_for(&mut self, load: Elsewhere, seat: &Seat, sight: &mut Sight) {
        sight.takeovers = load.takeovers;
        let lease = self.target.lease();
        let wait = self.target.patience().after_takeovers(load.takeovers);
        let elsewhere = sight.waiting.wait(&mut self.target, load.by, wait, load.lapses);
        sight.over = ticking(seat.flight(), lease, elsewhere).await;
        (self.looked, sight.waited) = (true, true);
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
