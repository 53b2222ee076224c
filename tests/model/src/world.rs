//! What the model consists of: a store, processes, what is under way, and what an onlooker notes.

use crate::promises::Promise;
use crate::rules::{Left, PROCESSES, Rules};

/// A place in the order of the server's clock. Zero is before everything, and no entry.
pub(crate) type Stamp = u8;
/// Zero is none.
pub(crate) type Token = u8;
/// Zero is `Generation::NONE`.
pub(crate) type Generation = u8;
/// A token or generation that is nobody's and will never be anybody's again.
pub(crate) const GONE: u8 = u8::MAX;

/// Everything there is at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct World {
    pub(crate) store: Store,
    pub(crate) processes: [Process; PROCESSES],
    pub(crate) notes: Notes,
    pub(crate) left: Left,
    /// The promise that the last step broke.
    pub(crate) broken: Option<Promise>,
}

/// What an onlooker knows of the past.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Notes {
    /// The last `invalidate`, `expire` or `prime`.
    pub(crate) changed: Stamp,
    /// The last of them that removed values, and has returned.
    pub(crate) removed: Stamp,
    /// The latest begin of all loads that were stored.
    pub(crate) newest: Stamp,
}

/// What the store keeps for the key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Store {
    /// When the load of the entry began.
    pub(crate) entry: Stamp,
    pub(crate) lease: Token,
    pub(crate) generation: Generation,
    /// When the generation was written.
    pub(crate) written: Stamp,
    pub(crate) marker: Marker,
    /// The marker is that of a failed load.
    pub(crate) failed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Marker {
    #[default]
    None,
    /// Whoever has nothing to serve loads without a lease.
    Unlocks,
    /// It still keeps refreshes away.
    Stands,
}

/// A process with one call on its way, and perhaps another one that joined it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) phase: Phase,
    /// The entry the call saw: newer ones answer. Also what stands in for a failed load.
    pub(crate) after: Stamp,
    /// The last removal that had returned when the call came.
    pub(crate) floor: Stamp,
    /// The call was served and looks for a new value.
    pub(crate) refresh: bool,
    pub(crate) wake: Wake,
    /// Whom the call waits for, and whether it has done so for `wait`.
    pub(crate) holder: Token,
    pub(crate) impatient: bool,
    /// Something was left that this waiter has not looked at.
    pub(crate) owes_a_look: bool,
    pub(crate) paused: bool,
    /// Another caller in the flight: the last removal that had returned when it came.
    pub(crate) joiner: Option<Stamp>,
    /// A command on its way whose answer nobody waits for.
    pub(crate) message: Option<Message>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub(crate) enum Phase {
    #[default]
    Idle,
    Begin {
        over: Token,
    },
    /// Somebody else holds the lease and nothing is subscribed to yet.
    Held,
    Wait,
    /// A load has just failed: what is to stand in for one is read again.
    Confirm,
    Load {
        /// Absent where `begin` was not answered.
        load: Option<Load>,
        /// `invalidate` of this process refused it.
        refused: bool,
    },
    /// The loader has ended and the store was told.
    Land {
        begun: Stamp,
        /// Whether the store's answer was heard.
        heard: bool,
        refused: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub(crate) enum Wake {
    #[default]
    None,
    Subscribed,
    /// A message has come.
    Woken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Load {
    pub(crate) token: Token,
    pub(crate) generation: Generation,
    pub(crate) begun: Stamp,
    pub(crate) leased: bool,
    /// Nothing that ends a lease has happened to it.
    pub(crate) keeps: bool,
    /// It began ten minutes ago.
    pub(crate) old: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ask {
    pub(crate) after: Stamp,
    pub(crate) token: Token,
    pub(crate) over: Token,
    pub(crate) refresh: bool,
    pub(crate) last_resort: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Message {
    Begin(Ask),
    Renew(Load),
    Commit(Load),
    /// What a `begin` got that nobody heard the answer of.
    Abandon(Load),
}

impl World {
    /// Nothing stored, nobody there.
    #[must_use]
    pub fn empty(left: Left) -> Self {
        Self { left, ..Self::default() }
    }

    /// The processes that take part.
    pub(crate) fn all(rules: &Rules) -> std::ops::Range<usize> {
        0..rules.processes
    }

    /// Every load there is a record of.
    pub(crate) fn loads(&mut self) -> impl Iterator<Item = &mut Load> {
        self.processes.iter_mut().flat_map(|process| {
            let running = match &mut process.phase {
                Phase::Load { load, .. } => load.as_mut(),
                _ => None,
            };
            let sent = match &mut process.message {
                Some(Message::Renew(load) | Message::Commit(load) | Message::Abandon(load)) => {
                    Some(load)
                }
                _ => None,
            };
            running.into_iter().chain(sent)
        })
    }
}

impl Process {
    /// A place for the next call.
    pub(crate) fn rest(&mut self) {
        let Self { paused, message, .. } = *self;
        *self = Self { paused, message, ..Self::default() };
    }

    /// A place for the load that was granted, or for one without the store.
    pub(crate) fn lead(&mut self, load: Option<Load>) {
        self.phase = Phase::Load { load, refused: false };
        (self.wake, self.holder, self.impatient) = (Wake::None, 0, false);
        self.owes_a_look = false;
    }
}
