//! Looks for ways to go on for ever without what should happen, although whatever is due gets its
//! turn: fair cycles in the graph of all worlds.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::Range;

use crate::events::{Class, Step, Steps};
use crate::explore::{Known, Trace};
use crate::rules::Rules;
use crate::world::{Phase, World};

/// All worlds and the steps between them.
pub struct Graph {
    rules: Rules,
    known: Known,
    /// The steps of each world: a range of `edges`.
    ranges: Vec<Range<usize>>,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    /// The turn this step is.
    turn: u16,
    /// The turns that are no longer owed after it.
    settles: u16,
}

/// An endless run: a way to a cycle, and once around it.
#[derive(Debug)]
pub struct Endless {
    /// Up to where it begins to repeat itself.
    pub way: Trace,
    /// What it repeats. Empty: nothing happens any more.
    pub round: Trace,
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  and then for ever:\n{}", self.way, self.round)
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} worlds, {} steps)", self.worlds(), self.edges.len())
    }
}

/// One bit for each kind of turn of each process.
fn turn(step: &Step) -> u16 {
    let who = step.who.unwrap_or(0);
    match step.class {
        Class::None => 0,
        Class::Call => 1 << who,
        Class::Process => 1 << (3 + who),
        Class::Patience => 1 << (6 + who),
        Class::Lapse => 1 << 9,
    }
}

const CALLS: u16 = 0b111;

impl Graph {
    /// Every world that can be reached.
    #[must_use]
    pub fn of(rules: Rules, start: World) -> Self {
        let mut graph =
            Self { rules, known: Known::default(), ranges: Vec::new(), edges: Vec::new() };
        graph.known.number(start, 0);
        while let Some(world) = graph.known.worlds.get(graph.ranges.len()).cloned() {
            let from = u32::try_from(graph.ranges.len()).expect("fits into memory");
            let first = graph.edges.len();
            for (step, next) in Steps::of(&world, &rules) {
                let turn = turn(&step);
                let settles = turn | settled(&world, &next);
                let (to, _) = graph.known.number(next, from);
                graph.edges.push(Edge { to, turn, settles });
            }
            graph.ranges.push(first..graph.edges.len());
        }
        graph
    }

    /// Different worlds.
    #[must_use]
    pub fn worlds(&self) -> usize {
        self.ranges.len()
    }

    /// A run in which a call is never answered. Its process is neither killed nor stopped for good.
    #[must_use]
    pub fn waits_for_ever(&self) -> Option<Endless> {
        // All processes are alike, so it may be the first one.
        self.fair_cycle(!CALLS, |world| world.processes[0].phase != Phase::Idle)
    }

    /// A run in which calls keep coming and nothing is ever stored.
    #[must_use]
    pub fn never_stores(&self) -> Option<Endless> {
        self.fair_cycle(u16::MAX, |world| world.store.entry == 0)
    }

    /// A run that from some moment on stays `within`, where every kind of turn in `fair` is taken
    /// again and again, or again and again is not due.
    fn fair_cycle(&self, fair: u16, within: impl Fn(&World) -> bool) -> Option<Endless> {
        let inside: Vec<bool> = self.known.worlds.iter().map(within).collect();
        let component = components(self, &inside);
        let mut owed: HashMap<u32, u16> = HashMap::new();
        let mut taken: HashMap<u32, u16> = HashMap::new();
        for (number, _) in inside.iter().enumerate().filter(|(_, inside)| **inside) {
            let home = component[number];
            *owed.entry(home).or_insert(fair) &= self.due(number);
            for edge in self.of_world(number) {
                if inside[edge.to as usize] && component[edge.to as usize] == home {
                    *taken.entry(home).or_default() |= edge.settles;
                }
            }
        }
        let unfair = |home: &u32| owed[home] & !taken.get(home).copied().unwrap_or(0);
        let found = (0..inside.len()).find(|&one| inside[one] && unfair(&component[one]) == 0)?;
        Some(self.tell(found, fair, &component))
    }

    fn of_world(&self, number: usize) -> &[Edge] {
        &self.edges[self.ranges[number].clone()]
    }

    fn due(&self, number: usize) -> u16 {
        self.of_world(number).iter().fold(0, |due, edge| due | edge.turn)
    }

    /// The way to a component, and a round in it that is fair: every kind of turn comes, or is not
    /// due somewhere.
    fn tell(&self, first: usize, fair: u16, component: &[u32]) -> Endless {
        let start = u32::try_from(first).expect("fits into memory");
        let mut round = vec![start];
        for bit in (0..u16::BITS).map(|bit| fair & (1 << bit)).filter(|bit| *bit != 0) {
            let at = *round.last().expect("never empty");
            if self.due(at as usize) & bit != 0 {
                let fair = |edge: &Edge| (edge.settles | !self.due(edge.to as usize)) & bit != 0;
                round.extend(self.walk(at, component, fair));
            }
        }
        let at = *round.last().expect("never empty");
        if at != start {
            round.extend(self.walk(at, component, |edge| edge.to == start));
        }
        let world = |number: &u32| &self.known.worlds[*number as usize];
        let way = self.steps_along(&self.known.way_to(start));
        let round = self.steps_along(&round.iter().map(world).collect::<Vec<_>>());
        Endless { way, round }
    }

    /// The shortest walk from a world, within its component, whose last step is a wanted one.
    fn walk(&self, from: u32, component: &[u32], wanted: impl Fn(&Edge) -> bool) -> Vec<u32> {
        let mut came: HashMap<u32, u32> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for edge in self.of_world(at as usize) {
                if component[edge.to as usize] != component[from as usize] {
                    continue;
                }
                if wanted(edge) {
                    let mut walk = vec![edge.to, at];
                    while walk[walk.len() - 1] != from {
                        walk.push(came[&walk[walk.len() - 1]]);
                    }
                    walk.pop();
                    walk.reverse();
                    return walk;
                }
                if edge.to != from && !came.contains_key(&edge.to) {
                    came.insert(edge.to, at);
                    queue.push_back(edge.to);
                }
            }
        }
        Vec::new()
    }

    fn steps_along(&self, way: &[&World]) -> Trace {
        let step = |pair: &[&World]| {
            let mut steps = Steps::of(pair[0], &self.rules).into_iter();
            steps.find(|(_, next)| next == pair[1]).expect("a step leads there").0
        };
        Trace(way.windows(2).map(step).collect())
    }
}

/// Turns that need not come any more: patience begins anew with another holder, a lease that was
/// replaced has not lapsed yet.
fn settled(before: &World, after: &World) -> u16 {
    let mut settled = 0;
    for (who, (one, other)) in before.processes.iter().zip(&after.processes).enumerate() {
        if one.holder != other.holder {
            settled |= 1 << (6 + who);
        }
    }
    if before.store.lease != after.store.lease {
        settled |= 1 << 9;
    }
    settled
}

/// Numbers the strongly connected components inside, by Tarjan's algorithm without recursion.
fn components(graph: &Graph, inside: &[bool]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let count = inside.len();
    let (mut order, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut next, mut found) = (0, 0);
    let (mut stack, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for root in (0..count).filter(|&root| inside[root]) {
        if order[root] == NEW {
            path.push((root, 0));
        }
        while let Some((at, edge)) = path.pop() {
            if edge == 0 {
                (order[at], low[at]) = (next, next);
                next += 1;
                stack.push(at);
            } else {
                let child = graph.of_world(at)[edge - 1].to as usize;
                if inside[child] && component[child] == NEW {
                    low[at] = low[at].min(low[child]);
                }
            }
            let edges = graph.of_world(at);
            let fresh = (edge..edges.len()).find(|&edge| {
                let to = edges[edge].to as usize;
                if inside[to] && order[to] != NEW && component[to] == NEW {
                    low[at] = low[at].min(order[to]);
                }
                inside[to] && order[to] == NEW
            });
            if let Some(edge) = fresh {
                path.push((at, edge + 1));
                path.push((edges[edge].to as usize, 0));
            } else if low[at] == order[at] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == at {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}
