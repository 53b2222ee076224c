//! The lease protocol keeps its promises, and each promise can be broken by breaking a rule.

mod limits;
mod liveness;
mod mutants;
mod safety;

use std::time::Instant;

use lease_model::explore::{Explored, Trace, explore};
use lease_model::liveness::{Endless, Graph};
use lease_model::{Left, Promise, Rules, World};

/// Nothing may happen but calls, loads and expiries.
const NOTHING: Left =
    Left { changes: 0, crashes: 0, pauses: 0, unheard: 0, failures: 0, leaves: 0 };

/// As it is, said shortly: a wait may end, a marker or an entry leave at any moment, so that
/// wake-ups and what they are for make no difference.
const ANY_TIME: Rules = Rules {
    listens: false,
    wakes_get_lost: false,
    lapse_timer: false,
    lingers: false,
    ..Rules::AS_IS
};

const TWO: Rules = Rules { processes: 2, ..ANY_TIME };

/// One process with two callers, and somebody else who changes the key.
const FLIGHT: Rules = Rules { joiners: true, processes: 1, ..TWO };
const CHANGE: Left = Left { changes: 1, ..NOTHING };

/// For runs without an end: what a load leaves stands long enough to be seen by all who wait.
const IN_TIME: Rules = Rules { lingers: true, ..ANY_TIME };

fn explored(name: &str, rules: &Rules, left: Left) -> Explored {
    let started = Instant::now();
    let explored = explore(rules, World::empty(left));
    let Explored { worlds, steps, .. } = explored;
    println!("{name}: {worlds} worlds, {steps} steps, {:?}", started.elapsed());
    explored
}

fn holds(name: &str, rules: &Rules, left: Left) {
    if let Some((promise, trace)) = explored(name, rules, left).broken {
        panic!("{name}: {promise}\n{trace}");
    }
}

/// How this promise is broken.
fn breaks(name: &str, rules: &Rules, left: Left, promise: Promise) -> Trace {
    let (broken, trace) = explored(name, rules, left).broken.expect("nothing was broken");
    println!("  {broken}\n{trace}");
    assert_eq!(broken, promise, "{name}");
    trace
}

fn graph(name: &str, rules: Rules, left: Left) -> Graph {
    let started = Instant::now();
    let graph = Graph::of(rules, World::empty(left));
    println!("{name}: {graph:?}, {:?}", started.elapsed());
    graph
}

fn never(name: &str, endless: Option<Endless>) {
    if let Some(endless) = endless {
        panic!("{name}:\n{endless}");
    }
}

fn can(name: &str, endless: Option<Endless>) -> Endless {
    let endless = endless.expect(name);
    println!("{name}:\n{endless}");
    endless
}
