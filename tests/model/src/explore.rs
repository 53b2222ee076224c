//! Looks at every world that can be reached, breadth first, so that a trace is as short as can be.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash as _, Hasher};

use crate::events::{Step, Steps};
use crate::promises::Promise;
use crate::rules::Rules;
use crate::world::World;

/// What was found.
#[derive(Debug)]
pub struct Explored {
    /// Different worlds.
    pub worlds: usize,
    /// Steps between them.
    pub steps: usize,
    /// The broken promise and how it came about.
    pub broken: Option<(Promise, Trace)>,
}

/// Steps from the empty world to what they show.
#[derive(Debug)]
pub struct Trace(pub(crate) Vec<Step>);

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            writeln!(f, "    {step}")?;
        }
        Ok(())
    }
}

impl Trace {
    /// Whether some step reads so.
    #[must_use]
    pub fn has(&self, what: &str) -> bool {
        self.0.iter().any(|step| step.what == what)
    }
}

/// Worlds by number, and which one each was first reached from.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) worlds: Vec<World>,
    from: Vec<u32>,
    /// By digest: the worlds themselves are held once.
    numbers: HashMap<u64, u32>,
}

impl Known {
    /// The world's number, and whether it is new.
    pub(crate) fn number(&mut self, world: World, from: u32) -> (u32, bool) {
        let mut digest = Digest::default();
        world.hash(&mut digest);
        let digest = digest.finish();
        let next = u32::try_from(self.worlds.len()).expect("fits into memory");
        let number = *self.numbers.entry(digest).or_insert(next);
        let new = number == next;
        if new {
            self.worlds.push(world);
            self.from.push(from);
        } else {
            assert!(self.worlds[number as usize] == world, "two worlds share a digest");
        }
        (number, new)
    }

    /// The worlds on the way to this one.
    pub(crate) fn way_to(&self, mut number: u32) -> Vec<&World> {
        let mut way = vec![&self.worlds[number as usize]];
        while self.from[number as usize] != number {
            number = self.from[number as usize];
            way.push(&self.worlds[number as usize]);
        }
        way.reverse();
        way
    }
}

/// Much faster than what std has, and a clash would be noticed.
#[derive(Default)]
struct Digest(u64);

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }
    fn write_isize(&mut self, kind: isize) {
        self.write_u64(kind.cast_unsigned() as u64);
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Every world that can be reached, up to the first that breaks a promise.
#[must_use]
pub fn explore(rules: &Rules, start: World) -> Explored {
    let mut known = Known::default();
    known.number(start.clone().of_its_kind(rules), 0);
    let (mut at, mut steps) = (0, 0);
    while let Some(world) = known.worlds.get(at).cloned() {
        let from = u32::try_from(at).expect("fits into memory");
        for (_, next) in Steps::of(&world, rules) {
            steps += 1;
            let broken = next.broken;
            let (number, _) = known.number(next.of_its_kind(rules), from);
            if let Some(promise) = broken {
                let trace = retell(rules, start, &known.way_to(number));
                return Explored {
                    worlds: known.worlds.len(),
                    steps,
                    broken: Some((promise, trace)),
                };
            }
        }
        at += 1;
    }
    Explored { worlds: known.worlds.len(), steps, broken: None }
}

/// The steps along these worlds, with each process under one name throughout.
fn retell(rules: &Rules, start: World, way: &[&World]) -> Trace {
    let (mut now, mut told) = (start, Vec::new());
    for &next in &way[1..] {
        let mut steps = Steps::of(&now, rules).into_iter();
        let fits = |(_, world): &(Step, World)| &world.clone().of_its_kind(rules) == next;
        let (step, world) = steps.find(fits).expect("the way was found by these steps");
        told.push(step);
        now = world;
    }
    Trace(told)
}
