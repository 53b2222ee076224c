//! How a node hands out its parts.

use serde::de::value::{BorrowedStrDeserializer, U32Deserializer};
use serde::de::{
    DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::graph::{Content, Id, Kind, Spot};
use super::place::{fields, id};
use super::walk::{Failed, Walk};

/// The parts of a tuple in their order; of a sequence, one element.
pub(super) struct Elements<'w> {
    walk: &'w mut Walk,
    node: usize,
    next: usize,
    end: usize,
}

impl<'w> Elements<'w> {
    pub(super) fn of(walk: &'w mut Walk, node: usize) -> Self {
        let empty = walk.graph.nodes[node].kind == Kind::Seq && walk.stays_empty(node);
        let end = if empty { 0 } else { walk.graph.nodes[node].parts.len() };
        Self { walk, node, next: 0, end }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Failed;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Failed> {
        if self.next == self.end {
            return Ok(None);
        }
        let spot = Spot { node: self.node, part: self.next };
        self.next += 1;
        self.walk.at(spot, seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.end - self.next)
    }
}

/// One entry of a map.
pub(super) struct Entries<'w> {
    walk: &'w mut Walk,
    node: usize,
    left: bool,
}

impl<'w> Entries<'w> {
    pub(super) fn of(walk: &'w mut Walk, node: usize) -> Self {
        let left = !walk.stays_empty(node);
        Self { walk, node, left }
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Failed;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Failed> {
        if !std::mem::take(&mut self.left) {
            return Ok(None);
        }
        self.walk.at(Spot { node: self.node, part: 0 }, seed).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failed> {
        self.walk.at(Spot { node: self.node, part: 1 }, seed)
    }
}

/// The fields of a struct by name, those that have failed last, so that all others are seen.
pub(super) struct Fields<'w> {
    walk: &'w mut Walk,
    node: usize,
    order: std::vec::IntoIter<usize>,
    /// The field whose name was taken and whose value was not.
    named: Option<usize>,
    /// Whether a name was taken at all.
    taken: bool,
}

impl<'w> Fields<'w> {
    pub(super) fn of(walk: &'w mut Walk, node: usize) -> Self {
        let parts = &walk.graph.nodes[node].parts;
        let mut order: Vec<_> = (0..parts.len()).filter(|part| !parts[*part].is_alias).collect();
        order.sort_by_key(|part| parts[*part].turns);
        Self { walk, node, order: order.into_iter(), named: None, taken: false }
    }

    /// The visitor failed. It may have been our way of asking.
    pub(super) fn refused(self, failed: Failed) -> Failed {
        let Self { walk, node, named, taken, .. } = self;
        if walk.explained || walk.learned {
            return failed;
        }
        match named {
            // A name that is known and whose value is not wanted has been given by another name.
            Some(part) => {
                let part = walk.graph.part(Spot { node, part });
                (part.is_alias, part.contents) = (true, vec![Content::Leaf("alias")]);
                walk.learn()
            }
            None if taken => failed,
            None => {
                walk.graph.nodes[node].by_position = true;
                walk.learn()
            }
        }
    }
}

impl<'de> MapAccess<'de> for &mut Fields<'_> {
    type Error = Failed;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Failed> {
        let Some(part) = self.order.next() else { return Ok(None) };
        let label = self.walk.graph.nodes[self.node].parts[part].label;
        let name = seed.deserialize(BorrowedStrDeserializer::new(label))?;
        (self.named, self.taken) = (Some(part), true);
        Ok(Some(name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failed> {
        let part = self.named.take().ok_or(Failed)?;
        let spot = Spot { node: self.node, part };
        self.walk.at(spot, seed).inspect_err(|_| {
            if !self.walk.learned {
                self.walk.graph.part(spot).turns += 1;
            }
        })
    }
}

/// One variant of an enum.
pub(super) struct Variant<'w> {
    pub(super) walk: &'w mut Walk,
    pub(super) spot: Spot,
}

impl<'w> Variant<'w> {
    /// The node of the variant's content.
    fn content<'de, V: Visitor<'de>>(
        self,
        (kind, labels, length): (Kind, &'static [&'static str], usize),
        read: impl FnOnce(&mut Walk, usize) -> Result<V::Value, Failed>,
    ) -> Result<V::Value, Failed> {
        let id = Id { variant: Some(self.spot), ..id::<V>(kind, labels, length) };
        self.walk.enter(self.spot, (id, ""), read)
    }
}

impl<'de, 'w> EnumAccess<'de> for Variant<'w> {
    type Error = Failed;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Failed> {
        let known = &self.walk.graph.nodes[self.spot.node];
        let (label, by_position) = (known.parts[self.spot.part].label, known.by_position);
        let name = if by_position {
            let index = u32::try_from(self.spot.part).unwrap_or(u32::MAX);
            let index: U32Deserializer<Failed> = index.into_deserializer();
            seed.deserialize(index)
        } else {
            seed.deserialize(BorrowedStrDeserializer::new(label))
        };
        match name {
            Ok(name) => Ok((name, self)),
            Err(failed) if by_position => Err(failed),
            Err(_) => {
                self.walk.graph.nodes[self.spot.node].by_position = true;
                Err(self.walk.learn())
            }
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Failed;

    fn unit_variant(self) -> Result<(), Failed> {
        self.walk.describe(self.spot, Content::Leaf("unit"));
        Ok(())
    }
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Failed> {
        let (value, visitor, labels) = (std::any::type_name::<S::Value>(), "", &[][..]);
        let variant = Some(self.spot);
        let id = Id { kind: Kind::Newtype, value, visitor, labels, length: 1, variant };
        self.walk.enter(self.spot, (id, ""), |walk, node| walk.at(Spot { node, part: 0 }, seed))
    }
    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Failed> {
        self.content::<V>((Kind::Tuple, &[], length), |walk, node| {
            visitor.visit_seq(Elements::of(walk, node))
        })
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        labels: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.content::<V>((Kind::Struct, labels, labels.len()), |walk, node| {
            fields(walk, node, visitor)
        })
    }
}
