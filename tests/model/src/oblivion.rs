//! Forgets what can make no difference any more, so that worlds that will go on alike are one.

use crate::rules::Rules;
use crate::tally::Numbers;
use crate::world::{GONE, Load, Message, Phase, Process, Stamp, Token, World};

impl World {
    /// Stamps, tokens and generations to which nothing can ever be compared are forgotten.
    pub(crate) fn forget(&mut self, rules: &Rules) {
        let mut running = Numbers::default();
        self.loads().for_each(|load| running.note(load.begun));
        forget(&mut self.notes.changed, &running);
        forget(&mut self.notes.newest, &running);
        forget(&mut self.store.written, &running);
        running.note(self.store.entry);
        // What a call saw is what newer entries are newer than; for others also a last value.
        for process in self.processes.iter_mut().filter(|_| !rules.joiners) {
            let leads = matches!(process.phase, Phase::Load { .. });
            if !leads && running.all_from(process.after + 1) {
                process.after = 0;
            }
        }
        for process in &self.processes {
            running.note(process.after);
            if let Phase::Land { begun, .. } = process.phase {
                running.note(begun);
            }
        }
        forget(&mut self.notes.removed, &running);
        for process in &mut self.processes {
            forget(&mut process.floor, &running);
            if let Some(floor) = &mut process.joiner {
                forget(floor, &running);
            }
        }
        self.forget_names();
    }

    fn forget_names(&mut self) {
        let (lease, generation) = (self.store.lease, self.store.generation);
        self.processes.iter_mut().for_each(|process| forget_message(process, lease));
        let mut alive = Numbers::default();
        alive.note(lease);
        for load in self.loads() {
            if load.generation != generation && load.generation != 0 {
                load.generation = GONE;
            }
            let Load { leased, token, .. } = *load;
            if leased || token == lease { alive.note(token) } else { load.token = GONE }
        }
        for process in &mut self.processes {
            if let Some(Message::Begin(ask)) = process.message {
                alive.note(ask.token);
            }
        }
        for process in &mut self.processes {
            if process.holder != 0 && !alive.has(process.holder) {
                process.holder = GONE;
            }
        }
    }
}

/// A floor is of no use where nothing lies below it: whatever is yet to come is later.
fn forget(floor: &mut Stamp, values: &Numbers) {
    if values.all_from(*floor) {
        *floor = 0;
    }
}

/// What a message does not say, and one that does nothing any more.
fn forget_message(process: &mut Process, lease: Token) {
    match &mut process.message {
        Some(Message::Renew(load)) => (load.begun, load.old) = (0, false),
        Some(Message::Abandon(load)) if load.token == lease => {
            (load.begun, load.old, load.leased, load.generation) = (0, false, false, 0);
        }
        Some(Message::Abandon(_)) => process.message = None,
        Some(Message::Commit(load)) => load.leased = false,
        Some(Message::Begin(_)) | None => {}
    }
}
