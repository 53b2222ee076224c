//! Which fields and variants a type reads, in which order.
//!
//! A codec by position writes what `Serialize` names first and reads what `Deserialize` names first.
//! Attributes on one side alone (`skip_deserializing`, `skip` on a variant) set them apart, and
//! another value comes back without an error.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::graph::{Content, Graph, Kind, Node};

/// The names of a place and its aliases.
type Place = Vec<&'static str>;

/// What is read under a name that serde is told. `None`: different types share it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    structs: HashMap<(&'static str, &'static str), Option<Vec<Place>>>,
    enums: HashMap<&'static str, Option<Vec<&'static str>>>,
}

#[cfg_attr(
    not(any(feature = "bincode", feature = "postcard")),
    expect(dead_code, reason = "only positions can be mistaken")
)]
impl Names {
    /// The fields of a struct (without a variant) or of a variant of an enum, if they are known.
    pub(crate) fn fields(&self, name: &'static str, variant: &'static str) -> Option<&[Place]> {
        self.structs.get(&(name, variant))?.as_deref()
    }

    /// Whether a variant written under this number is read as itself. Aliases come in between, so
    /// it may stand further behind; in front of it none can be missing.
    pub(crate) fn reads_variant(&self, name: &str, number: u32, variant: &str) -> bool {
        let Some(Some(variants)) = self.enums.get(name) else { return true };
        let place = variants.iter().position(|read| *read == variant);
        place.is_some_and(|place| place >= number as usize)
    }
}

pub(super) fn names(graph: &Graph) -> Names {
    let mut names = Names::default();
    for node in &graph.nodes {
        match node.kind {
            Kind::Struct if !node.name.is_empty() => {
                note(names.structs.entry((node.name, "")), places(node));
            }
            Kind::Enum => {
                let labels = node.parts.iter().map(|part| part.label).collect();
                note(names.enums.entry(node.name), labels);
                for part in &node.parts {
                    for fields in contents(graph, &part.contents) {
                        note(names.structs.entry((node.name, part.label)), places(fields));
                    }
                }
            }
            _ => {}
        }
    }
    names
}

fn contents<'g>(graph: &'g Graph, contents: &'g [Content]) -> impl Iterator<Item = &'g Node> {
    let nodes = contents.iter().filter_map(|content| match content {
        Content::Node(node) => Some(&graph.nodes[*node]),
        Content::Leaf(_) => None,
    });
    nodes.filter(|node| node.kind == Kind::Struct && node.name.is_empty())
}

/// Fields, each with the aliases that follow it.
fn places(node: &Node) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for part in &node.parts {
        match places.last_mut() {
            Some(place) if part.is_alias => place.push(part.label),
            _ => places.push(vec![part.label]),
        }
    }
    places
}

fn note<K, V: PartialEq>(entry: Entry<'_, K, Option<V>>, read: V) {
    match entry {
        Entry::Vacant(vacant) => drop(vacant.insert(Some(read))),
        Entry::Occupied(mut known) if known.get().as_ref() != Some(&read) => {
            known.insert(None);
        }
        Entry::Occupied(_) => {}
    }
}
