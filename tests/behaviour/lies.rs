//! Types whose serde does not say what it does: a hit returns what the miss returned.

use std::fmt::Debug;

use herdless::{Event, cached};
use serde::{Deserialize, Serialize};

use crate::backend::World;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sparse {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    first: Option<u8>,
    second: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Untagged {
    Number(u8),
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub(crate) enum Tagged {
    Circle { radius: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    shown: u8,
    #[serde(skip)]
    hidden: u8,
}

/// Left out, `count` would take the length of `rest` for its own, and `rest` its first element for
/// its length: a positional codec reads another value without an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shifting {
    #[serde(skip_serializing_if = "is_zero", default)]
    count: u8,
    rest: Vec<u8>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(count: &u8) -> bool {
    *count == 0
}

/// Writes what it cannot read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct OneWay(u8);

impl<'de> Deserialize<'de> for OneWay {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("one way only"))
    }
}

macro_rules! liars {
    ($($name:ident -> $kind:ty: $value:expr);* $(;)?) => {$(
        #[cached(ttl = 60)]
        async fn $name() -> $kind {
            $value
        }
    )*};
}

liars! {
    sparse -> Sparse: Sparse { first: None, second: Some(7) };
    untagged -> Untagged: Untagged::Text("x".to_owned());
    tagged -> Tagged: Tagged::Circle { radius: 3 };
    value -> serde_json::Value: serde_json::json!({ "a": [1, null, "x"] });
    shifting -> Shifting: Shifting { count: 0, rest: vec![2, 5, 6] };
    skipped -> Skipped: Skipped { shown: 1, hidden: 9 };
    one_way -> OneWay: OneWay(1);
    oversized -> Vec<u8>: vec![1; 9 << 20];
}

async fn agrees<T: Debug + PartialEq>(world: &World, miss: T, hit: (T, herdless::Outcome)) {
    let unstored = world.cache.count(Event::Unstorable) + world.cache.count(Event::TooLarge);
    let stored = hit.1.kind == herdless::Kind::Hit;
    assert!(stored || unstored > 0, "not stored, and nobody counted");
    assert!(miss == hit.0, "{miss:?} then {:?}", hit.0);
}

#[tokio::test]
async fn a_hit_returns_what_the_miss_returned_or_nothing_was_stored() {
    macro_rules! check {
        ($($name:ident $stored:literal),*) => {$({
            let world = World::redis();
            let miss = world.run($name()).await;
            let hit = world.run($name().with_outcome()).await;
            let stored = hit.1.kind == herdless::Kind::Hit;
            assert_eq!(stored, $stored, stringify!($name));
            agrees(&world, miss, hit).await;
            world.is_idle().await;
        })*};
    }
    check!(sparse true, shifting true, untagged true, tagged true, value true, skipped true, one_way false, oversized false);
}

#[tokio::test]
async fn a_field_left_out_does_not_shift_the_others() {
    let world = World::redis();
    for _ in 0..2 {
        assert_eq!(world.run(shifting()).await, Shifting { count: 0, rest: vec![2, 5, 6] });
    }
    assert_eq!(world.cache.count(Event::Load), 1);
}

#[tokio::test]
async fn the_embedded_default_keeps_values_as_they_are() {
    let world = World::embedded();
    assert_eq!(world.run(one_way()).await, world.run(one_way()).await);
    assert_eq!(world.run(skipped()).await.hidden, 9);
    assert_eq!(world.cache.count(Event::Load), 2);
}
