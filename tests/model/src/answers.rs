//! What a process makes of what it is told.

use crate::rules::{Left, Rules};
use crate::scripts::Next;
use crate::world::{Load, Phase, Process, Wake, World};

impl World {
    pub(crate) fn called(&mut self, who: usize, last: u8) {
        let removed = self.notes.removed;
        let process = &mut self.processes[who];
        (process.phase, process.after, process.floor) = (Phase::Begin { over: 0 }, last, removed);
    }

    /// Answers the call with an entry, and who joined it.
    pub(crate) fn serve(&mut self, who: usize, entry: u8) {
        let Process { floor, joiner, .. } = self.processes[who];
        self.check_value(entry, floor.max(joiner.unwrap_or_default()));
        self.processes[who].rest();
    }

    /// What `begin` answered, and what comes of it.
    pub(crate) fn begun(&mut self, who: usize, begun: Next) -> &'static str {
        let refresh = self.processes[who].refresh;
        match begun {
            Next::Entry(_) if refresh => self.processes[who].rest(),
            Next::Entry(entry) => self.serve(who, entry),
            Next::Lead(load) => self.processes[who].lead(Some(load)),
            Next::Held(_) if refresh => self.processes[who].rest(),
            Next::Held(by) => self.processes[who].held(by),
            Next::Failing if refresh => self.processes[who].rest(),
            Next::Failing => self.processes[who].phase = Phase::Confirm,
        }
        match begun {
            Next::Entry(_) => "begin -> entry",
            Next::Lead(load) if load.leased => "begin -> lead",
            Next::Lead(_) => "begin -> lead, unlocked",
            Next::Held(_) => "begin -> held",
            Next::Failing => "begin -> failing",
        }
    }

    /// The store has been told; the flight lands next, which is of interest to joiners only.
    pub(crate) fn told(
        &mut self,
        rules: &Rules,
        who: usize,
        load: Load,
        heard: bool,
        refused: bool,
    ) {
        if rules.joiners {
            self.processes[who].phase = Phase::Land { begun: load.begun, heard, refused };
        } else {
            self.processes[who].rest();
        }
    }

    pub(crate) fn spend_failure(&mut self) {
        if self.left.failures != Left::ALWAYS {
            self.left.failures -= 1;
        }
    }
}

impl Process {
    fn held(&mut self, by: u8) {
        if self.holder != by {
            (self.holder, self.impatient) = (by, false);
        }
        self.phase = match self.wake {
            _ if self.impatient => Phase::Begin { over: by },
            Wake::None => Phase::Held,
            _ => Phase::Wait,
        };
    }
}
