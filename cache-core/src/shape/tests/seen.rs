//! Thirty-six types that are seen to the last part.
#![expect(dead_code, reason = "only types count")]

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroI16, NonZeroU8, NonZeroU64};
use std::ops::{Bound, Range};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::*;

/// Every part was seen.
#[track_caller]
pub(super) fn walked<T: DeserializeOwned + 'static>() {
    let report = report::<T>();
    assert_eq!(report.opaque, [], "{}", type_name::<T>());
    assert!(!report.asks_any);
}

#[derive(Deserialize)]
struct Unit;

#[derive(Deserialize)]
pub(super) struct Cents(u64);

#[derive(Deserialize)]
struct Pair(u8, String);

#[derive(Deserialize)]
struct Nested {
    id: u32,
    price: Cents,
    pair: Pair,
    tags: Vec<String>,
    notes: Option<Box<Flat>>,
    by_name: BTreeMap<String, Vec<Flat>>,
    unit: Unit,
}

#[derive(Deserialize)]
pub(super) struct Flat {
    a: bool,
    b: char,
    c: f64,
    d: (i128, [u16; 4]),
}

#[derive(Deserialize)]
pub(super) enum Every {
    Unit,
    New(Cents),
    Tuple(u8, Flat),
    Struct { a: Flat, b: Other },
}

#[derive(Deserialize)]
pub(super) enum Other {
    A(u8),
    B { x: u8 },
    C { x: String },
}

#[derive(Deserialize)]
struct List {
    value: u8,
    next: Option<Box<Self>>,
}

#[derive(Deserialize)]
struct Tree {
    children: Vec<Self>,
    by_name: HashMap<String, Self>,
    kind: Other,
}

/// The recursive variants come first.
#[derive(Deserialize)]
enum Expr {
    Add(Box<Self>, Box<Self>),
    Neg(Box<Self>, Other),
    Let { name: String, value: Box<Self>, body: Box<Self> },
    Call(String, Vec<Self>),
    Lit(i64),
}

#[derive(Deserialize)]
struct Ping {
    pong: Vec<Pong>,
    other: Other,
}

#[derive(Deserialize)]
enum Pong {
    Back(Box<Ping>, u8),
    Over(Every),
}

#[derive(Deserialize)]
#[serde(tag = "kind", content = "content")]
enum Adjacent {
    Text(String),
    Every(Every),
    Other(Other),
}

#[derive(Deserialize)]
struct Aliased {
    #[serde(alias = "nick", alias = "handle")]
    name: String,
    #[serde(rename = "type", alias = "Type")]
    kind: Other,
}

#[derive(Deserialize)]
pub(super) struct Page<T> {
    items: Vec<T>,
    #[serde(default)]
    next: Option<u32>,
    #[serde(skip)]
    cached: u8,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Transparent {
    inner: Flat,
}

#[derive(Deserialize)]
#[serde(from = "Flat")]
struct From;

impl core::convert::From<Flat> for From {
    fn from(_: Flat) -> Self {
        Self
    }
}

/// Parses its own text, as a URL or a date does.
struct Parsed;

struct Parse(&'static str);

impl Visitor<'_> for Parse {
    type Value = Parsed;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Parsed, E> {
        if text.contains(self.0) { Ok(Parsed) } else { Err(E::custom("no")) }
    }
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Parse("://"))
    }
}

/// Sixteen bytes, no fewer.
struct Id;

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sixteen;
        impl Visitor<'_> for Sixteen {
            type Value = Id;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("16 bytes")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Id, E> {
                if bytes.len() == 16 { Ok(Id) } else { Err(E::custom("no")) }
            }
        }
        deserializer.deserialize_bytes(Sixteen)
    }
}

/// A struct written by hand whose visitor knows positions only.
struct ByPosition;

impl<'de> Deserialize<'de> for ByPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Positions;
        impl<'de> Visitor<'de> for Positions {
            type Value = ByPosition;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("two")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<ByPosition, A::Error> {
                parts.next_element::<u8>()?;
                parts.next_element::<Other>()?;
                Ok(ByPosition)
            }
        }
        deserializer.deserialize_struct("ByPosition", &["a", "b"], Positions)
    }
}

#[test]
fn thirty_six_types_are_seen_to_the_last_part() {
    walked::<u8>();
    walked::<String>();
    walked::<()>();
    walked::<(u8, (i64, String), [bool; 3])>();
    walked::<Vec<Option<Box<u8>>>>();
    walked::<Result<Vec<u8>, String>>();
    walked::<HashMap<String, BTreeSet<u64>>>();
    walked::<VecDeque<BTreeMap<i32, char>>>();
    walked::<Duration>();
    walked::<SystemTime>();
    walked::<Range<u32>>();
    walked::<Bound<u32>>();
    walked::<IpAddr>();
    walked::<SocketAddr>();
    walked::<PathBuf>();
    walked::<(NonZeroU8, NonZeroI16, NonZeroU64)>();
    walked::<Box<str>>();
    walked::<std::num::Wrapping<u8>>();
    walked::<Unit>();
    walked::<Cents>();
    walked::<Pair>();
    walked::<Nested>();
    walked::<Every>();
    walked::<List>();
    walked::<Tree>();
    walked::<Expr>();
    walked::<Ping>();
    walked::<Pong>();
    walked::<Adjacent>();
    walked::<Aliased>();
    walked::<Page<Every>>();
    walked::<Transparent>();
    walked::<From>();
    walked::<Parsed>();
    walked::<Id>();
    walked::<ByPosition>();
}

macro_rules! wide {
    ($name:ident of $inner:ty: $($variant:ident)*) => {
        #[derive(Deserialize)]
                enum $name { $($variant($inner)),* }
    };
    ($($name:ident of $inner:ty),*) => {$(
        wide!($name of $inner: A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
            Aa Bb Cc Dd Ee Ff Gg Hh Ii Jj Kk Ll Mm Nn);
    )*};
}
wide!(Inner of u8, Middle of Inner, Outer of Middle);

#[test]
fn three_nested_enums_of_forty_variants_are_seen() {
    let began = std::time::Instant::now();
    walked::<Outer>();
    println!("three nested enums of forty variants take {:?}", began.elapsed());
}
