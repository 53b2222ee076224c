//! The fingerprint of what was seen.

use blake3::Hasher;

use super::graph::{Content, Graph, Kind, Part, ROOT};
use super::names::{Names, names};
use super::{Opaque, Report, digest};

/// Another number makes every stored value a miss.
const EDITION: u8 = 1;

/// The report on a walked type.
pub(super) fn report((graph, asks_any): &(Graph, bool)) -> Report {
    let ordinals = vec![None; graph.nodes.len()];
    let mut print = Print { graph, ordinals, met: 0, opaque: Vec::new(), within: 0 };
    let root = &graph.nodes[ROOT.node].parts[ROOT.part];
    let id = digest(|hasher| {
        hasher.update(&[EDITION]);
        print.part(hasher, root, "");
    });
    Report { id, opaque: print.opaque, asks_any: *asks_any, names: names(graph) }
}

/// The report on a type whose walk panicked.
pub(super) fn unseen(ty: &'static str) -> Report {
    let id = digest(|hasher| {
        hasher.update(&[EDITION]);
        text(hasher, ty);
    });
    let opaque = vec![Opaque { path: String::new(), ty }];
    Report { id, opaque, asks_any: false, names: Names::default() }
}

struct Print<'g> {
    graph: &'g Graph,
    /// Nodes are written once and numbered by their first appearance.
    ordinals: Vec<Option<u32>>,
    met: u32,
    opaque: Vec<Opaque>,
    /// Opaque places around the present one: those below have been said.
    within: u32,
}

impl Print<'_> {
    fn part(&mut self, hasher: &mut Hasher, part: &Part, path: &str) {
        if let Some(ty) = part.opaque {
            hasher.update(b"?");
            text(hasher, ty);
            if self.within == 0 {
                self.opaque.push(Opaque { path: path.to_owned(), ty });
            }
        }
        let within = u32::from(part.opaque.is_some());
        self.within += within;
        hasher.update(&(part.contents.len() as u64).to_le_bytes());
        for content in &part.contents {
            match *content {
                Content::Node(node) => self.node(hasher, node, path),
                Content::Leaf(kind) => {
                    hasher.update(b"l");
                    text(hasher, kind);
                }
            }
        }
        self.within -= within;
    }

    fn node(&mut self, hasher: &mut Hasher, index: usize, path: &str) {
        if let Some(ordinal) = self.ordinals[index] {
            hasher.update(b"r").update(&ordinal.to_le_bytes());
            return;
        }
        self.ordinals[index] = Some(self.met);
        self.met += 1;
        let node = &self.graph.nodes[index];
        hasher.update(b"n").update(&[kind(node.kind)]);
        text(hasher, node.name);
        hasher.update(&(node.parts.len() as u64).to_le_bytes());
        for (number, part) in node.parts.iter().enumerate() {
            text(hasher, part.label);
            self.part(hasher, part, &step(path, node.kind, part.label, number));
        }
    }
}

/// Length first: no two lists of texts are written alike.
pub(super) fn text(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
}

const fn kind(kind: Kind) -> u8 {
    match kind {
        Kind::Root => 0,
        Kind::Option => 1,
        Kind::Seq => 2,
        Kind::Map => 3,
        Kind::Newtype => 4,
        Kind::Tuple => 5,
        Kind::Struct => 6,
        Kind::Enum => 7,
    }
}

/// The path one part further, as a user would say it.
fn step(path: &str, kind: Kind, label: &str, number: usize) -> String {
    match kind {
        Kind::Root | Kind::Option | Kind::Newtype => path.to_owned(),
        Kind::Seq | Kind::Map => format!("{path}[]"),
        Kind::Tuple if path.is_empty() => number.to_string(),
        Kind::Tuple => format!("{path}.{number}"),
        Kind::Struct | Kind::Enum if path.is_empty() => label.to_owned(),
        Kind::Struct | Kind::Enum => format!("{path}.{label}"),
    }
}
