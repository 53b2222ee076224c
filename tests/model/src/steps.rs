//! The steps of a process, as the code takes them.

use crate::events::{Class, Step, Steps};
use crate::scripts::{Committed, Mark};
use crate::world::{Ask, Load, Message, Phase, Process, Wake, World};

impl Steps<'_> {
    /// What the process itself does next. Each of these happens sooner or later.
    pub(crate) fn of_process(&mut self, who: usize) {
        let process = self.world.processes[who];
        match process.phase {
            Phase::Idle => self.look(who),
            Phase::Begin { over } => {
                self.begin(who, over);
                self.join(who);
            }
            Phase::Held => self.subscribe(who),
            Phase::Wait => {
                self.wait(who);
                self.join(who);
            }
            Phase::Confirm => self.confirm(who),
            Phase::Load { load, refused } => {
                self.load(who, load, refused);
                self.join(who);
            }
            Phase::Land { begun, heard, refused } => {
                self.land(who, begun, heard, refused);
                if !self.rules.closes_first {
                    self.join(who);
                }
            }
        }
        if process.holder != 0 && !process.impatient && self.rules.patience {
            self.act(who, Class::Patience, "has waited for `wait`", |world| {
                world.processes[who].impatient = true;
            });
        }
    }

    /// A call comes: one `HGET`, and what the strategy makes of it. That it comes at the moment of
    /// its look makes the promise to it no weaker.
    fn look(&mut self, who: usize) {
        let entry = self.world.store.entry;
        if entry == 0 {
            return self.act(who, Class::Call, "call, look -> nothing", |world| {
                world.called(who, entry);
            });
        }
        self.act(who, Class::Call, "call, look -> serve", |world| {
            world.check_value(entry, world.notes.removed);
        });
        if self.rules.refreshes {
            self.act(who, Class::Call, "call, look -> serve and refresh", |world| {
                world.check_value(entry, world.notes.removed);
                world.called(who, entry);
                world.processes[who].refresh = true;
            });
        }
        self.act(who, Class::Call, "call, look -> load", |world| world.called(who, entry));
    }

    fn begin(&mut self, who: usize, over: u8) {
        let Process { after, refresh, message, .. } = self.world.processes[who];
        let last_resort = !refresh && after != 0;
        let ask =
            Ask { after, token: self.world.clone().fresh_token(), over, refresh, last_resort };
        let mut next = self.world.clone();
        next.processes[who].owes_a_look = false;
        let begun = next.begin(ask);
        let what = next.begun(who, begun);
        if next.processes[who].phase == Phase::Held && !self.rules.listens {
            next.processes[who].phase = Phase::Wait;
        }
        self.push(who, Class::Process, what, next);
        if self.world.left.unheard > 0 && message.is_none() {
            self.act(who, Class::None, "begin, no answer -> lead, cut off", |world| {
                world.left.unheard -= 1;
                let process = &mut world.processes[who];
                process.message = Some(Message::Begin(ask));
                if refresh { process.rest() } else { process.lead(None) }
            });
        }
    }

    /// The last value is there, or another one; or it was removed, and a load is due.
    fn confirm(&mut self, who: usize) {
        let (entry, last) = (self.world.store.entry, self.world.processes[who].after);
        let entry = if self.rules.confirms_last { entry } else { last };
        let what = if entry == 0 { "look again -> nothing" } else { "look again -> serve" };
        self.act(who, Class::Process, what, |world| match entry {
            0 => {
                let process = &mut world.processes[who];
                (process.after, process.phase) = (0, Phase::Begin { over: 0 });
            }
            entry => world.serve(who, entry),
        });
    }

    fn subscribe(&mut self, who: usize) {
        let again = self.rules.looks_once_more;
        // No subscription to be had is like one whose messages all get lost.
        self.act(who, Class::Process, "subscribe", |world| {
            let process = &mut world.processes[who];
            process.wake = Wake::Subscribed;
            process.phase = if again { Phase::Begin { over: 0 } } else { Phase::Wait };
        });
    }

    /// Woken or not: look again.
    fn wait(&mut self, who: usize) {
        let Process { wake, impatient, .. } = self.world.processes[who];
        let ends = [
            (wake == Wake::Woken, "woken"),
            (self.rules.fallback_timer, "fallback pause over"),
            (self.rules.lapse_timer, "the lease would have lapsed"),
            (impatient, "patience over"),
        ];
        for (_, what) in ends.into_iter().filter(|(due, _)| *due) {
            self.act(who, Class::Process, what, |world| {
                let process = &mut world.processes[who];
                process.phase = Phase::Begin { over: 0 };
                if wake == Wake::Woken {
                    process.wake = Wake::Subscribed;
                }
            });
        }
        if wake == Wake::Woken && self.rules.wakes_get_lost {
            self.act(who, Class::None, "the wake-up gets lost", |world| {
                world.processes[who].wake = Wake::Subscribed;
            });
        }
    }

    fn load(&mut self, who: usize, load: Option<Load>, refused: bool) {
        let Some(load) = load else {
            // Without a `load` there is nothing to store or give back.
            return self.act(who, Class::Process, "load ends, cut off", |world| {
                world.processes[who].rest();
            });
        };
        self.commit(who, load, refused);
        if self.world.left.failures > 0 {
            self.fail(who, load, refused);
            self.act(who, Class::Process, "unstored -> abandon", |world| {
                world.spend_failure();
                let current = world.abandon(self.rules, load, Mark::Unstored);
                world.told(self.rules, who, load, true, refused || !current);
            });
        }
        if self.world.left.leaves > 0 {
            self.act(who, Class::None, "left -> abandon", |world| {
                world.left.leaves -= 1;
                world.abandon(self.rules, load, Mark::Nothing);
                world.processes[who].rest();
            });
        }
        self.heartbeat(who, load, refused);
    }

    fn commit(&mut self, who: usize, load: Load, refused: bool) {
        let mut next = self.world.clone();
        let committed = next.commit(self.rules, load);
        let superseded = matches!(committed, Committed::Superseded | Committed::TooLate);
        next.told(self.rules, who, load, true, refused || superseded);
        self.push(who, Class::Process, committed.what(), next);
        let world = &self.world;
        if world.left.unheard > 0 && world.processes[who].message.is_none() {
            let (rules, refused) = (self.rules, refused || self.rules.unanswered_is_refused);
            self.act(who, Class::None, "commit, no answer", |world| {
                world.left.unheard -= 1;
                world.processes[who].message = Some(Message::Commit(load));
                world.told(rules, who, load, false, refused);
            });
        }
    }

    /// Closes, leaves a marker and lands, with the last value where there is one.
    fn fail(&mut self, who: usize, load: Load, refused: bool) {
        let Process { after: last, joiner, .. } = self.world.processes[who];
        let entry = self.world.store.entry;
        let last = if self.rules.confirms_last && last != entry { 0 } else { last };
        let stands_in = "fail -> abandon, the last value stands in";
        let what = if last == 0 { "fail -> abandon" } else { stands_in };
        self.act(who, Class::Process, what, |world| {
            world.spend_failure();
            let current = world.abandon(self.rules, load, Mark::Failed);
            if let (true, true, Some(floor)) = (last != 0, current && !refused, joiner) {
                world.check_value(last, floor);
            }
            world.processes[who].rest();
        });
    }

    /// A renewal that finds the lease as it should be changes nothing here.
    fn heartbeat(&mut self, who: usize, load: Load, refused: bool) {
        if !load.leased {
            return;
        }
        if self.world.store.lease != load.token {
            let mut next = self.world.clone();
            let leased = next.renew(load);
            let load = Some(Load { leased, keeps: leased, ..load });
            next.processes[who].phase = Phase::Load { load, refused };
            let what = if leased { "renew -> taken again" } else { "renew -> lease lost" };
            self.push(who, Class::None, what, next);
        }
        if self.world.left.unheard > 0 && self.world.processes[who].message.is_none() {
            self.act(who, Class::None, "renew, no answer", |world| {
                world.left.unheard -= 1;
                let sent = Load { keeps: false, ..load };
                world.processes[who].message = Some(Message::Renew(sent));
            });
        }
    }

    /// Another caller of this process finds nothing, and the flight open.
    fn join(&mut self, who: usize) {
        let process = &self.world.processes[who];
        let open = match process.phase {
            Phase::Begin { .. } | Phase::Held | Phase::Wait => !process.refresh,
            Phase::Load { refused, .. } | Phase::Land { refused, .. } => !refused,
            Phase::Idle | Phase::Confirm => false, // it is closed before that look
        };
        if self.rules.joiners && open && process.joiner.is_none() {
            self.act(who, Class::None, "another caller joins", |world| {
                world.processes[who].joiner = Some(world.notes.removed);
            });
        }
    }

    fn land(&mut self, who: usize, begun: u8, heard: bool, refused: bool) {
        let joiner = self.world.processes[who].joiner;
        let what = if refused { "land, refused" } else { "land" };
        let knows = heard || self.rules.unanswered_is_refused;
        self.act(who, Class::Process, what, |world| {
            if let (Some(floor), false, true) =
                (joiner, refused, knows || self.rules.cut_off_counts)
            {
                world.check_value(begun, floor);
            }
            world.processes[who].rest();
        });
    }

    fn act(
        &mut self,
        who: usize,
        class: Class,
        what: &'static str,
        change: impl FnOnce(&mut World),
    ) {
        let mut next = self.world.clone();
        change(&mut next);
        self.push(who, class, what, next);
    }

    fn push(&mut self, who: usize, class: Class, what: &'static str, next: World) {
        self.add(Step { who: Some(who), class, what }, next);
    }
}
