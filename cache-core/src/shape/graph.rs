//! What is known of a type so far: nodes with parts, each part a leaf or another node.

use std::collections::HashMap;

/// What kind of node it is, and so how its parts are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Root,
    Option,
    Seq,
    Map,
    Newtype,
    Tuple,
    Struct,
    Enum,
}

/// Tells nodes apart. Names of types serve for this alone and never reach the fingerprint: they
/// change with modules and compilers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Id {
    pub(super) kind: Kind,
    /// The type that the visitor makes, generics included.
    pub(super) value: &'static str,
    pub(super) visitor: &'static str,
    pub(super) labels: &'static [&'static str],
    pub(super) length: usize,
    /// The variant whose content this is: its visitors may share their names with others'.
    pub(super) variant: Option<Spot>,
}

/// A part of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    pub(super) node: usize,
    pub(super) part: usize,
}

/// The type itself.
pub(super) const ROOT: Spot = Spot { node: 0, part: 0 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Leaf(&'static str),
    Node(usize),
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) label: &'static str,
    /// What stands there. The content of an adjacently tagged enum is one of several.
    pub(super) contents: Vec<Content>,
    /// It could not be seen through; the user's type there.
    pub(super) opaque: Option<&'static str>,
    /// How often a field failed, or a variant was taken: the least used comes first.
    pub(super) turns: u32,
    /// A second name of a field that has been given already.
    pub(super) is_alias: bool,
}

impl Part {
    pub(super) fn is_seen(&self) -> bool {
        !self.contents.is_empty() || self.opaque.is_some()
    }
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The type that is made here, for messages.
    pub(super) ty: &'static str,
    /// The name that serde is told: it changes where the user renames the type.
    pub(super) name: &'static str,
    pub(super) parts: Vec<Part>,
    /// Its visitor takes no field names.
    pub(super) by_position: bool,
    /// The variant that was the first to give a value: it ends, so recursions take it.
    pub(super) ends: Option<usize>,
    /// How deep the walk is in it.
    pub(super) entered: u32,
}

#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    known: HashMap<Id, usize>,
}

impl Graph {
    pub(super) fn new(ty: &'static str) -> Self {
        let mut graph = Self { nodes: Vec::new(), known: HashMap::new() };
        let (labels, visitor) = (&[][..], "");
        let id = Id { kind: Kind::Root, value: ty, visitor, labels, length: 1, variant: None };
        graph.node(id, "");
        graph
    }

    /// The node with this identity, made if there is none.
    pub(super) fn node(&mut self, id: Id, name: &'static str) -> usize {
        if let Some(&node) = self.known.get(&id) {
            return node;
        }
        let label = |part| id.labels.get(part).copied().unwrap_or_default();
        let part = |part| Part {
            label: label(part),
            contents: Vec::new(),
            opaque: None,
            turns: 0,
            is_alias: false,
        };
        self.nodes.push(Node {
            kind: id.kind,
            ty: id.value,
            name,
            parts: (0..id.length).map(part).collect(),
            by_position: false,
            ends: None,
            entered: 0,
        });
        self.known.insert(id, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    pub(super) fn part(&mut self, spot: Spot) -> &mut Part {
        &mut self.nodes[spot.node].parts[spot.part]
    }

    /// Parts seen so far, and parts in all.
    pub(super) fn progress(&self) -> (usize, usize) {
        let parts = || self.nodes.iter().flat_map(|node| &node.parts);
        (parts().filter(|part| part.is_seen()).count(), parts().count())
    }

    /// For each node, whether something below it has not been seen.
    pub(super) fn open(&self) -> Vec<bool> {
        let mut open = vec![false; self.nodes.len()];
        loop {
            let before = open.iter().filter(|open| **open).count();
            for (index, node) in self.nodes.iter().enumerate().rev() {
                open[index] = open[index] || node.parts.iter().any(|part| is_open(part, &open));
            }
            if open.iter().filter(|open| **open).count() == before {
                return open;
            }
        }
    }
}

/// Whether something at or below a part has not been seen. Nodes found since count as open.
pub(super) fn is_open(part: &Part, open: &[bool]) -> bool {
    let is_open = |content: &Content| match content {
        Content::Node(node) => open.get(*node).is_none_or(|open| *open),
        Content::Leaf(_) => false,
    };
    !part.is_seen() || part.contents.iter().any(is_open)
}
