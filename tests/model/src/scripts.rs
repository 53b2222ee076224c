//! The scripts of the store: what each does in its one moment.

use crate::rules::Rules;
use crate::world::{Ask, Load, Marker, Stamp, Token, Wake, World};

/// What `begin.lua` answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Next {
    Entry(Stamp),
    Lead(Load),
    Held(Token),
    Failing,
}

/// What `commit.lua` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Committed {
    Stored,
    Superseded,
    TooLate,
    Older,
}

impl Committed {
    /// For people.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Stored => "commit -> stored",
            Self::Superseded => "commit -> superseded",
            Self::TooLate => "commit -> too late",
            Self::Older => "commit -> older",
        }
    }
}

/// Why a load left nothing stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Failed,
    Unstored,
    Nothing,
}

impl World {
    /// `begin.lua`
    pub(crate) fn begin(&mut self, ask: Ask) -> Next {
        let Ask { after, token, over, refresh, last_resort } = ask;
        let can_wait = refresh || last_resort && self.store.failed;
        if self.store.entry > after {
            return Next::Entry(self.store.entry);
        }
        match self.store.marker {
            Marker::Unlocks | Marker::Stands if can_wait => return Next::Failing,
            Marker::Unlocks => return Next::Lead(self.lead(token, false)),
            Marker::None | Marker::Stands => {}
        }
        let lease = self.store.lease;
        if lease != 0 && lease != over {
            return Next::Held(lease);
        }
        self.ends(lease); // taken over
        self.store.lease = token;
        Next::Lead(self.lead(token, true))
    }

    fn lead(&mut self, token: Token, leased: bool) -> Load {
        let (generation, begun) = (self.store.generation, self.now());
        Load { token, generation, begun, leased, keeps: leased, old: false }
    }

    /// `renew.lua`. `false`: the lease is somebody else's now.
    pub(crate) fn renew(&mut self, load: Load) -> bool {
        if self.store.lease == load.token {
            return true;
        }
        if self.store.lease != 0 || self.store.generation != load.generation {
            return false;
        }
        self.store.lease = load.token;
        true
    }

    /// `commit.lua`
    pub(crate) fn commit(&mut self, rules: &Rules, load: Load) -> Committed {
        let store = &self.store;
        let lost = !rules.lost_lease_stores && store.lease != load.token;
        let committed = if lost || rules.generation_counts && store.generation != load.generation {
            Committed::Superseded
        } else if rules.ten_minutes_count && load.old {
            Committed::TooLate
        } else if rules.begun_later_wins && store.entry > load.begun {
            Committed::Older
        } else {
            self.check_store(load.begun);
            self.store.entry = load.begun;
            self.store.marker = Marker::None;
            Committed::Stored
        };
        self.free(rules, load.token);
        self.left_something(committed == Committed::Stored);
        self.wake();
        committed
    }

    /// `abandon.lua`. `false`: the key was changed since the load began.
    pub(crate) fn abandon(&mut self, rules: &Rules, load: Load, mark: Mark) -> bool {
        self.free(rules, load.token);
        let in_time = !(rules.abandon_knows_time && load.old);
        let current = self.store.generation == load.generation && in_time;
        if current && mark != Mark::Nothing {
            self.store.marker = Marker::Unlocks;
            self.store.failed = mark == Mark::Failed;
        }
        self.left_something(current && mark != Mark::Nothing);
        self.wake();
        current
    }

    fn free(&mut self, rules: &Rules, token: Token) {
        if !rules.token_is_compared || self.store.lease == token {
            self.store.lease = 0;
        }
    }

    /// `invalidate.lua`. It has returned, too: what comes from now on came after it.
    pub(crate) fn invalidate(&mut self) {
        self.change();
        self.store.entry = 0;
        self.notes.removed = self.notes.changed;
        self.wake();
    }

    /// `prime.lua`: the new value was made when the key was changed.
    pub(crate) fn prime(&mut self) {
        self.invalidate();
        self.store.entry = self.notes.changed;
        self.notes.newest = self.store.entry;
    }

    /// `replace.lua`, for `expire`: the value stays.
    pub(crate) fn replace(&mut self) {
        self.change();
        self.wake();
    }

    fn change(&mut self) {
        self.ends(self.store.lease);
        (self.store.lease, self.store.marker) = (0, Marker::None);
        self.store.generation = self.fresh_generation();
        self.notes.changed = self.now();
        self.store.written = self.notes.changed;
    }

    /// The lease of this token has come to its end.
    pub(crate) fn ends(&mut self, token: Token) {
        self.loads().filter(|load| load.token == token).for_each(|load| load.keeps = false);
    }

    /// Publishes: whoever has subscribed hears of it, if nothing gets lost.
    fn wake(&mut self) {
        for process in &mut self.processes {
            if process.wake == Wake::Subscribed {
                process.wake = Wake::Woken;
            }
        }
    }

    /// A new entry or marker: whoever waits has not looked at it yet.
    fn left_something(&mut self, something: bool) {
        for process in &mut self.processes {
            process.owes_a_look |= something && process.holder != 0 && !process.paused;
        }
    }
}
