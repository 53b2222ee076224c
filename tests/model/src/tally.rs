//! Names for stamps, tokens and generations that do not grow: only their order, or whether two are
//! the same, means anything. Without this the worlds of an endless run would all be different.

use crate::rules::Rules;
use crate::world::{GONE, Generation, Load, Message, Phase, Process, Stamp, Token, World};

/// New numbers for old ones, by order or by first appearance.
#[derive(Default)]
pub(crate) struct Numbers {
    known: [u8; 32],
    count: usize,
}

impl Numbers {
    /// Zero is none, and needs no note.
    pub(crate) fn note(&mut self, number: u8) {
        if number != 0 && number != GONE && !self.has(number) {
            self.known[self.count] = number;
            self.count += 1;
        }
    }

    pub(crate) fn has(&self, number: u8) -> bool {
        self.known[..self.count].contains(&number)
    }

    /// Whether every one of them is at least this.
    pub(crate) fn all_from(&self, least: u8) -> bool {
        self.known[..self.count].iter().all(|&number| number >= least)
    }

    fn sort(&mut self) {
        self.known[..self.count].sort_unstable();
    }

    fn of(&self, number: u8) -> u8 {
        if number == 0 || number == GONE {
            return number;
        }
        let place = self.known[..self.count].iter().position(|&known| known == number);
        u8::try_from(place.expect("noted before") + 1).expect("few")
    }
}

/// Whatever is told apart only by being the same, or by being earlier.
enum Number<'w> {
    Stamp(&'w mut Stamp),
    Token(&'w mut Token),
    Generation(&'w mut Generation),
}

fn of_load(load: &mut Load, each: &mut impl FnMut(Number<'_>)) {
    each(Number::Stamp(&mut load.begun));
    each(Number::Token(&mut load.token));
    each(Number::Generation(&mut load.generation));
}

fn visit(world: &mut World, each: &mut impl FnMut(Number<'_>)) {
    let (store, notes) = (&mut world.store, &mut world.notes);
    for stamp in [&mut store.entry, &mut store.written] {
        each(Number::Stamp(stamp));
    }
    for stamp in [&mut notes.changed, &mut notes.removed, &mut notes.newest] {
        each(Number::Stamp(stamp));
    }
    each(Number::Token(&mut store.lease));
    each(Number::Generation(&mut store.generation));
    for process in &mut world.processes {
        visit_process(process, each);
    }
}

fn visit_process(process: &mut Process, each: &mut impl FnMut(Number<'_>)) {
    each(Number::Stamp(&mut process.after));
    each(Number::Stamp(&mut process.floor));
    each(Number::Token(&mut process.holder));
    if let Some(floor) = &mut process.joiner {
        each(Number::Stamp(floor));
    }
    match &mut process.phase {
        Phase::Begin { over } => each(Number::Token(over)),
        Phase::Load { load: Some(load), .. } => of_load(load, each),
        Phase::Land { begun, .. } => each(Number::Stamp(begun)),
        _ => {}
    }
    match &mut process.message {
        Some(Message::Begin(ask)) => {
            each(Number::Stamp(&mut ask.after));
            each(Number::Token(&mut ask.token));
            each(Number::Token(&mut ask.over));
        }
        Some(Message::Renew(load) | Message::Commit(load) | Message::Abandon(load)) => {
            of_load(load, each);
        }
        None => {}
    }
}

fn numbers(world: &mut World) -> [Numbers; 3] {
    let [mut stamps, mut tokens, mut generations] = <[Numbers; 3]>::default();
    visit(world, &mut |number| match number {
        Number::Stamp(stamp) => stamps.note(*stamp),
        Number::Token(token) => tokens.note(*token),
        Number::Generation(generation) => generations.note(*generation),
    });
    stamps.sort();
    [stamps, tokens, generations]
}

impl World {
    /// A stamp later than all there are.
    pub(crate) fn now(&mut self) -> Stamp {
        let [stamps, ..] = numbers(self);
        stamps.known[..stamps.count].last().map_or(1, |last| last + 1)
    }

    pub(crate) fn fresh_token(&mut self) -> Token {
        let [_, tokens, _] = numbers(self);
        tokens.known.iter().max().map_or(1, |last| last + 1)
    }

    pub(crate) fn fresh_generation(&mut self) -> Generation {
        let [.., generations] = numbers(self);
        generations.known.iter().max().map_or(1, |last| last + 1)
    }

    /// The same world with the smallest numbers.
    #[must_use]
    pub(crate) fn renumbered(mut self, rules: &Rules) -> Self {
        self.forget(rules);
        let [stamps, tokens, generations] = numbers(&mut self);
        visit(&mut self, &mut |number| match number {
            Number::Stamp(stamp) => *stamp = stamps.of(*stamp),
            Number::Token(token) => *token = tokens.of(*token),
            Number::Generation(generation) => *generation = generations.of(*generation),
        });
        self
    }

    /// One world for all that differ only in which process is which; for nearly all, at least.
    #[must_use]
    pub(crate) fn of_its_kind(mut self, rules: &Rules) -> Self {
        let nameless = self.processes.map(|process| self.nameless(process));
        let mut places: Vec<usize> = (0..rules.processes).collect();
        places.sort_by_key(|&place| nameless[place]);
        if places.is_sorted() {
            return self;
        }
        let before = self.processes;
        places.iter().enumerate().for_each(|(to, &from)| self.processes[to] = before[from]);
        self.renumbered(rules)
    }

    /// The process without what another numbering would change.
    fn nameless(&self, mut process: Process) -> Process {
        let (lease, generation) = (self.store.lease, self.store.generation);
        visit_process(&mut process, &mut |number| match number {
            Number::Stamp(_) => {}
            Number::Token(token) => *token = compared(*token, lease),
            Number::Generation(other) => *other = compared(*other, generation),
        });
        process
    }
}

/// What can be said of a random number beside another one.
fn compared(one: u8, other: u8) -> u8 {
    match one {
        0 | GONE => one,
        _ if one == other => 1,
        _ => 2,
    }
}
