//! What happens to processes and store: expiries, changes of the key, messages that come late,
//! pauses and crashes. And how a world's steps are collected.

use std::fmt;

use crate::rules::Rules;
use crate::scripts::{Mark, Next};
use crate::world::{Load, Marker, Message, Phase, World};

/// One step of the world, for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) who: Option<usize>,
    pub(crate) class: Class,
    pub(crate) what: &'static str,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.who {
            Some(who) => write!(f, "{}: {}", ["A", "B", "C"][who], self.what),
            None => write!(f, "   {}", self.what),
        }
    }
}

/// What makes sure that a step is taken some day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing: it may happen or not.
    None,
    /// Calls keep coming, where a promise is about that.
    Call,
    /// A process goes on.
    Process,
    /// A waiter's patience ends, unless it waits for somebody else by then.
    Patience,
    /// A lease that nobody renews lapses.
    Lapse,
}

/// Collects the steps that a world can take.
pub(crate) struct Steps<'w> {
    pub(crate) rules: &'w Rules,
    pub(crate) world: &'w World,
    found: Vec<(Step, World)>,
}

impl<'w> Steps<'w> {
    /// All of them. A broken world takes none.
    pub(crate) fn of(world: &'w World, rules: &'w Rules) -> Vec<(Step, World)> {
        let mut steps = Self { rules, world, found: Vec::new() };
        if world.broken.is_some() {
            return steps.found;
        }
        for who in World::all(rules) {
            if world.processes[who].paused {
                steps.happens(Some(who), Class::Process, "goes on", |world| {
                    world.processes[who].paused = false;
                });
            } else {
                steps.of_process(who);
            }
            steps.message(who);
            steps.harm(who);
        }
        steps.changes();
        steps.expiries();
        steps.found
    }

    pub(crate) fn add(&mut self, step: Step, mut next: World) {
        next.check_leases();
        self.found.push((step, next.renumbered(self.rules)));
    }

    fn happens(
        &mut self,
        who: Option<usize>,
        class: Class,
        what: &'static str,
        change: impl FnOnce(&mut World),
    ) {
        let mut next = self.world.clone();
        change(&mut next);
        self.add(Step { who, class, what }, next);
    }

    /// A command arrives whose answer nobody waits for, or it is lost.
    fn message(&mut self, who: usize) {
        let Some(message) = self.world.processes[who].message else { return };
        self.happens(Some(who), Class::None, "what it sent is lost", |world| {
            world.processes[who].message = None;
        });
        let what = match message {
            Message::Begin(_) => "its begin arrives",
            Message::Renew(_) => "its renewal arrives",
            Message::Commit(_) => "its commit arrives",
            Message::Abandon(_) => "its release arrives",
        };
        let rules = self.rules;
        self.happens(Some(who), Class::None, what, |world| {
            world.processes[who].message = None;
            match message {
                Message::Begin(ask) => {
                    if let Next::Lead(load) = world.begin(ask) {
                        let load = Load { keeps: false, ..load };
                        world.processes[who].message = Some(Message::Abandon(load));
                    }
                }
                Message::Renew(load) => _ = world.renew(load),
                Message::Commit(load) => _ = world.commit(rules, load),
                Message::Abandon(load) => _ = world.abandon(rules, load, Mark::Nothing),
            }
        });
    }

    /// Killed, and started again; stopped for a while.
    fn harm(&mut self, who: usize) {
        let process = &self.world.processes[who];
        if process.phase == Phase::Idle {
            return;
        }
        if self.world.left.crashes > 0 {
            self.happens(Some(who), Class::None, "crashes", |world| {
                world.left.crashes -= 1;
                world.processes[who].paused = false;
                world.processes[who].rest();
            });
        }
        if self.world.left.pauses > 0 && !process.paused {
            self.happens(Some(who), Class::None, "pauses", |world| {
                world.left.pauses -= 1;
                let process = &mut world.processes[who];
                (process.paused, process.owes_a_look) = (true, false);
            });
        }
    }

    /// Changes of the key, made by somebody else or by a process that loads.
    fn changes(&mut self) {
        if self.world.left.changes == 0 {
            return;
        }
        self.happens(None, Class::None, "invalidate", |world| {
            world.left.changes -= 1;
            world.invalidate();
        });
        self.happens(None, Class::None, "prime", |world| {
            world.left.changes -= 1;
            world.prime();
        });
        if self.world.store.entry != 0 {
            self.happens(None, Class::None, "expire", |world| {
                world.left.changes -= 1;
                world.replace();
            });
        }
        for who in World::all(self.rules).filter(|_| self.rules.joiners) {
            if let Phase::Load { load, .. } = self.world.processes[who].phase {
                self.happens(Some(who), Class::None, "invalidate, while it loads", |world| {
                    world.left.changes -= 1;
                    world.processes[who].phase = Phase::Load { load, refused: true };
                    world.invalidate();
                });
            }
        }
    }

    fn expiries(&mut self) {
        let store = &self.world.store;
        let (lease, written) = (store.lease, store.written);
        if lease != 0 && self.rules.leases_lapse {
            let class = if self.world.is_renewed() { Class::None } else { Class::Lapse };
            self.happens(None, class, "the lease lapses", |world| {
                world.ends(lease);
                world.store.lease = 0;
            });
        }
        if store.generation != 0 {
            self.happens(None, Class::None, "ten minutes: the generation leaves", |world| {
                (world.store.generation, world.store.written) = (0, 0);
                let earlier = world.loads().filter(|load| load.begun < written);
                earlier.for_each(|load| load.old = true);
            });
        }
        if self.rules.lingers && self.world.processes.iter().any(|process| process.owes_a_look) {
            return;
        }
        if self.world.store.entry != 0 {
            let forgets = !self.rules.remembers_what_left;
            self.happens(None, Class::None, "the entry's life ends", |world| {
                world.store.entry = 0;
                if forgets {
                    world.notes.newest = 0;
                }
            });
        }
        if self.world.store.marker == Marker::Unlocks {
            self.happens(None, Class::None, "the marker unlocks no more", |world| {
                world.store.marker = Marker::Stands;
            });
        }
        if self.world.store.marker != Marker::None {
            self.happens(None, Class::None, "the marker's life ends", |world| {
                world.store.marker = Marker::None;
            });
        }
    }
}

impl World {
    /// Whether a load that runs renews the lease.
    fn is_renewed(&self) -> bool {
        self.processes.iter().any(|process| {
            let Phase::Load { load: Some(load), .. } = &process.phase else { return false };
            !process.paused && load.leased && load.token == self.store.lease
        })
    }
}
