//! Runs the type's `Deserialize` until all of it has been seen.
//!
//! One run takes one variant of each enum and one sample for each leaf, so there are many. A run
//! that fails teaches something: the next sample, which field to put last, which place is opaque.

use std::any::type_name;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed};

use super::graph::{Content, Graph, Id, Part, ROOT, Spot, is_open};
use super::place::At;

/// Runs over one type at most.
const RUNS: usize = 1024;
/// Places visited in all runs together at most.
const VISITS: u32 = 500_000;
/// Nodes within each other at most: a type that has no end is given up.
const DEPTH: usize = 100;

/// Why a run failed is noted where it did.
#[derive(Debug)]
pub(super) struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not accepted")
    }
}

impl std::error::Error for Failed {}

impl serde::de::Error for Failed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

#[derive(Debug)]
pub(super) struct Walk {
    pub(super) graph: Graph,
    /// Which sample each kind of leaf is given.
    pub(super) samples: HashMap<(&'static str, &'static str), usize>,
    /// Types around the present place.
    types: Vec<&'static str>,
    /// What was open when the run began.
    open: Vec<bool>,
    /// Nodes on the way that are within themselves: only what ends quickly is wanted there.
    recursions: u32,
    /// The run failed for a known reason.
    pub(super) explained: bool,
    /// The run failed, and the next one will do better.
    pub(super) learned: bool,
    /// A place took whatever it was given.
    pub(super) asks_any: bool,
    visits: u32,
}

/// Everything about `T` that its `Deserialize` tells.
pub(super) fn walk<T: DeserializeOwned + 'static>() -> (Graph, bool) {
    let mut walk = Walk::new(type_name::<T>());
    let mut idle = 0;
    for _ in 0..RUNS {
        let before = walk.graph.progress();
        walk.begin();
        // A failure has been noted; a value is of no use.
        let _ = walk.at(ROOT, PhantomData::<T>);
        let after @ (seen, parts) = walk.graph.progress();
        let done = seen == parts && !walk.learned;
        idle = if after == before && !walk.learned { idle + 1 } else { 0 };
        if done || idle > parts || walk.visits > VISITS {
            break;
        }
    }
    walk.give_up();
    (walk.graph, walk.asks_any)
}

impl Walk {
    fn new(ty: &'static str) -> Self {
        Self {
            graph: Graph::new(ty),
            samples: HashMap::new(),
            types: Vec::new(),
            open: Vec::new(),
            recursions: 0,
            explained: false,
            learned: false,
            asks_any: false,
            visits: 0,
        }
    }

    fn begin(&mut self) {
        self.open = self.graph.open();
        (self.explained, self.learned, self.recursions) = (false, false, 0);
        self.types.clear();
        self.graph.nodes.iter_mut().for_each(|node| node.entered = 0);
    }

    /// What was not seen is opaque.
    fn give_up(&mut self) {
        for node in &mut self.graph.nodes {
            for part in node.parts.iter_mut().filter(|part| !part.is_seen()) {
                part.opaque = Some(node.ty);
            }
        }
    }

    /// Reads one part of a node.
    pub(super) fn at<'de, S: DeserializeSeed<'de>>(
        &mut self,
        spot: Spot,
        seed: S,
    ) -> Result<S::Value, Failed> {
        self.within(spot, type_name::<S::Value>(), |walk| seed.deserialize(At { walk, spot }))
    }

    /// Reads one part of a node; a failure that nobody explained makes the part opaque.
    pub(super) fn within<R>(
        &mut self,
        spot: Spot,
        ty: &'static str,
        read: impl FnOnce(&mut Self) -> Result<R, Failed>,
    ) -> Result<R, Failed> {
        self.visits += 1;
        if self.visits > VISITS {
            return Err(self.explain());
        }
        self.types.push(ty);
        let result = read(self);
        if result.is_err() && !self.explained && !self.learned {
            self.opaque(spot);
            self.explained = true;
        }
        self.types.pop();
        result
    }

    /// The run fails for a known reason.
    pub(super) fn explain(&mut self) -> Failed {
        self.explained = true;
        Failed
    }

    /// The run fails, the next one knows more.
    pub(super) fn learn(&mut self) -> Failed {
        self.learned = true;
        Failed
    }

    /// Nothing more is known of this part than the user's type there.
    pub(super) fn opaque(&mut self, spot: Spot) {
        let users = self.types.iter().rev().find(|ty| !is_internal(ty)).copied();
        let ty = users.unwrap_or(self.graph.nodes[ROOT.node].ty);
        self.graph.part(spot).opaque = Some(ty);
    }

    pub(super) fn describe(&mut self, spot: Spot, content: Content) {
        let contents = &mut self.graph.part(spot).contents;
        if !contents.contains(&content) {
            contents.push(content);
        }
    }

    /// Goes into the node that stands at `spot`.
    pub(super) fn enter<R>(
        &mut self,
        spot: Spot,
        (id, name): (Id, &'static str),
        read: impl FnOnce(&mut Self, usize) -> Result<R, Failed>,
    ) -> Result<R, Failed> {
        let ty = id.value;
        let node = self.graph.node(id, name);
        self.describe(spot, Content::Node(node));
        if self.types.len() > 2 * DEPTH {
            return Err(self.explain());
        }
        let again = u32::from(self.graph.nodes[node].entered > 0);
        self.recursions += again;
        self.graph.nodes[node].entered += 1;
        self.types.push(ty);
        let result = read(self, node);
        self.types.pop();
        self.graph.nodes[node].entered -= 1;
        self.recursions -= again;
        result
    }

    /// Whether a container is to be empty: its content is known, and a recursion has to end.
    pub(super) fn stays_empty(&self, node: usize) -> bool {
        self.recursions > 0 && self.graph.nodes[node].parts.iter().all(Part::is_seen)
    }

    /// The variant to take. Within a recursion the one known to end; else one with something to be
    /// seen below it; else each in turn, for the content of an adjacently tagged enum stands
    /// elsewhere.
    pub(super) fn choose(&mut self, node: usize) -> usize {
        let known = &self.graph.nodes[node];
        if let Some(ends) = known.ends.filter(|_| self.recursions > 0) {
            return ends; // No turn: else the variants beside it would starve.
        }
        let closed = |part: &Part| !is_open(part, &self.open);
        let parts = known.parts.iter().enumerate();
        let least = parts.min_by_key(|(_, part)| (closed(part), part.turns));
        let chosen = least.map_or(0, |(index, _)| index);
        if let Some(part) = self.graph.nodes[node].parts.get_mut(chosen) {
            part.turns += 1;
        }
        chosen
    }
}

/// Made by serde's derive, not by the user.
fn is_internal(ty: &str) -> bool {
    ["::__", "serde::private", "serde_core::private"].iter().any(|private| ty.contains(private))
}
