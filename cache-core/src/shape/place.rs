//! The `Deserializer` of one place: notes what is asked for and hands out a sample of it.

use std::any::type_name;

use serde::de::{Deserializer, Visitor};

use super::access::{Elements, Entries, Fields, Variant};
use super::graph::{Content, Id, Kind, Spot};
use super::leaf::{BYTES, CHARS, LENGTHS, NUMBERS, TEXTS};
use super::walk::{Failed, Walk};

pub(super) struct At<'w> {
    pub(super) walk: &'w mut Walk,
    pub(super) spot: Spot,
}

impl At<'_> {
    /// Gives a leaf its sample. One that is refused makes room for the next.
    fn leaf<'de, V: Visitor<'de>, S: Copy>(
        self,
        kind: &'static str,
        samples: &[S],
        visitor: V,
        visit: impl FnOnce(V, S) -> Result<V::Value, Failed>,
    ) -> Result<V::Value, Failed> {
        self.walk.describe(self.spot, Content::Leaf(kind));
        let turn = *self.walk.samples.entry((kind, type_name::<V>())).or_default();
        visit(visitor, samples[turn]).map_err(|failed| {
            if turn + 1 == samples.len() {
                return failed;
            }
            self.walk.samples.insert((kind, type_name::<V>()), turn + 1);
            self.walk.learn()
        })
    }

    /// Goes into a node that this visitor makes.
    fn node<'de, V: Visitor<'de>>(
        self,
        kind: Kind,
        name: &'static str,
        (labels, length): (&'static [&'static str], usize),
        read: impl FnOnce(&mut Walk, usize) -> Result<V::Value, Failed>,
    ) -> Result<V::Value, Failed> {
        self.walk.enter(self.spot, (id::<V>(kind, labels, length), name), read)
    }
}

/// The identity of the node that a visitor makes.
pub(super) fn id<'de, V: Visitor<'de>>(
    kind: Kind,
    labels: &'static [&'static str],
    length: usize,
) -> Id {
    let (value, visitor) = (type_name::<V::Value>(), type_name::<V>());
    Id { kind, value, visitor, labels, length, variant: None }
}

/// Reads the fields of a struct: by name, or by position where its visitor wants it so.
pub(super) fn fields<'de, V: Visitor<'de>>(
    walk: &mut Walk,
    node: usize,
    visitor: V,
) -> Result<V::Value, Failed> {
    if walk.graph.nodes[node].by_position {
        return visitor.visit_seq(Elements::of(walk, node));
    }
    let mut fields = Fields::of(walk, node);
    let result = visitor.visit_map(&mut fields);
    match result {
        Err(failed) => Err(fields.refused(failed)),
        result => result,
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $number:ident),* $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
            let kind = stringify!($number);
            self.leaf(kind, NUMBERS, visitor, |visitor, sample| visitor.$visit(sample as $number))
        }
    )*};
}

impl<'de> Deserializer<'de> for At<'_> {
    type Error = Failed;

    numbers! {
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64,
    }

    /// A place that takes anything is opaque. Some are content with nothing, and the run goes on.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.walk.asks_any = true;
        self.walk.opaque(self.spot);
        visitor.visit_unit().map_err(|_: Failed| self.walk.explain())
    }

    /// Keys that are names of fields, in a map: a flattened struct.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.leaf("ignored", &[()], visitor, |visitor, ()| visitor.visit_unit())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.leaf("bool", &[false, true], visitor, V::visit_bool)
    }
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.leaf("char", CHARS, visitor, V::visit_char)
    }
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.leaf("text", TEXTS, visitor, V::visit_borrowed_str)
    }
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.deserialize_str(visitor)
    }
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.leaf("bytes", LENGTHS, visitor, |visitor, length| {
            visitor.visit_borrowed_bytes(&BYTES[..length])
        })
    }
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.deserialize_bytes(visitor)
    }
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.leaf("unit", &[()], visitor, |visitor, ()| visitor.visit_unit())
    }
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Option, "", (&[], 1), |walk, node| {
            if walk.stays_empty(node) {
                return visitor.visit_none();
            }
            let spot = Spot { node, part: 0 };
            walk.within(spot, type_name::<V::Value>(), |walk| visitor.visit_some(At { walk, spot }))
        })
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Newtype, name, (&[], 1), |walk, node| {
            let spot = Spot { node, part: 0 };
            walk.within(spot, type_name::<V::Value>(), |walk| {
                visitor.visit_newtype_struct(At { walk, spot })
            })
        })
    }
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Seq, "", (&[], 1), |walk, node| {
            visitor.visit_seq(Elements::of(walk, node))
        })
    }
    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.deserialize_tuple_struct("", length, visitor)
    }
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Tuple, name, (&[], length), |walk, node| {
            visitor.visit_seq(Elements::of(walk, node))
        })
    }
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Map, "", (&[], 2), |walk, node| {
            visitor.visit_map(Entries::of(walk, node))
        })
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        labels: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Struct, name, (labels, labels.len()), |walk, node| {
            fields(walk, node, visitor)
        })
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failed> {
        self.node::<V>(Kind::Enum, name, (variants, variants.len()), |walk, node| {
            let spot = Spot { node, part: walk.choose(node) };
            if variants.is_empty() {
                return Err(walk.explain());
            }
            let ty = type_name::<V::Value>();
            let value = walk.within(spot, ty, |walk| visitor.visit_enum(Variant { walk, spot }))?;
            walk.graph.nodes[node].ends.get_or_insert(spot.part);
            Ok(value)
        })
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
