//! Different arguments have different keys, whatever stands in them; no key is longer than it may
//! be, and nothing in it ends the hash tag.
#![no_main]

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use cache_core::{Cache, Key};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;

/// One argument, of a type that has a part of every kind.
#[derive(Debug, Clone, Arbitrary, Serialize, PartialEq, Eq)]
enum Argument {
    Unit,
    Flag(bool),
    Number(i64),
    Large(u128),
    Float(Bits),
    Letter(char),
    Text(String),
    Bytes(Vec<u8>),
    Maybe(Option<Box<Self>>),
    Pair(Box<(Self, Self)>),
    List(Vec<Self>),
    Set(HashSet<String>),
    Map(BTreeMap<String, Self>),
    Named { name: String, inner: Box<Self> },
}

/// A float that is equal to itself, and zero that is not minus zero.
#[derive(Debug, Clone, Copy, Arbitrary, PartialEq, Eq)]
struct Bits(u64);

impl Serialize for Bits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from_bits(self.0))
    }
}

type Arguments = [Argument; 3];

#[derive(Debug, Arbitrary)]
struct Input {
    arguments: Arguments,
    other: Other,
    identity: String,
    namespace: String,
}

/// Another call's arguments.
#[derive(Debug, Arbitrary)]
enum Other {
    Any(Arguments),
    /// The same but for one.
    Edited(u8, Argument),
    /// The same in another order.
    Swapped(u8, u8),
    /// Text moved from one to the next, where both are text.
    Moved(u8, u8),
}

impl Other {
    fn arguments(self, first: &Arguments) -> Arguments {
        let mut other = first.clone();
        match self {
            Self::Any(arguments) => return arguments,
            Self::Edited(at, argument) => other[usize::from(at) % 3] = argument,
            Self::Swapped(one, another) => {
                other.swap(usize::from(one) % 3, usize::from(another) % 3);
            }
            Self::Moved(at, count) => {
                let at = usize::from(at) % 2;
                if let [Argument::Text(from), Argument::Text(to)] = &mut other[at..at + 2] {
                    let left = from.chars().count().saturating_sub(count.into());
                    let moved: String = from.chars().skip(left).collect();
                    *from = from.chars().take(left).collect();
                    to.insert_str(0, &moved);
                }
            }
        }
        other
    }
}

fn key(identity: &str, arguments: &Arguments) -> Key {
    arguments.iter().fold(Key::for_function(identity), |key, one| key.arg(one)).finish()
}

/// For keys that stand behind a namespace, as stores know them.
static CACHE: LazyLock<Cache> = LazyLock::new(|| Cache::builder().namespace("shop{1}:%").build());

fuzz_target!(|input: Input| {
    let Input { arguments, other, identity, namespace } = input;
    let one = key(&identity, &arguments);
    assert!(one.is_sound());
    assert_eq!(one, key(&identity, &rebuilt(&arguments)), "the same arguments");
    assert!(one.as_str().len() <= Key::LONGEST, "{} bytes", one.as_str().len());
    assert!(!one.as_str().contains(['{', '}']), "{one}");

    let tag = CACHE.redis_key(&one);
    assert!(tag.starts_with('{') && tag.ends_with('}'), "{tag}");
    assert_eq!(tag.matches(['{', '}']).count(), 2, "{tag}");

    let other = other.arguments(&arguments);
    assert_eq!(one == key(&identity, &other), arguments == other, "{one}");
    // Templates, and another function's key: not one value's, whatever their arguments.
    let template = Key::for_function(&identity).text(&namespace).arg(&arguments[0]).finish();
    assert!(!template.as_str().contains(['{', '}']), "{template}");
    assert!(template.as_str().len() <= Key::LONGEST);
    assert_eq!(one == key(&namespace, &arguments), identity == namespace, "{one}");
});

/// The same with sets that come in another order.
fn rebuilt(arguments: &Arguments) -> Arguments {
    arguments.clone().map(|argument| match argument {
        Argument::Set(set) => Argument::Set(set.into_iter().collect()),
        other => other,
    })
}
