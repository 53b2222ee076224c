//! What the walk cannot see through, and that it always ends.
#![expect(dead_code, reason = "only types count")]

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::seen::{Every, Flat, Other, Page};
use super::*;

/// Every part was seen but these.
#[track_caller]
fn opaque<T: DeserializeOwned + 'static>(expected: &[&str]) -> Report {
    let report = report::<T>();
    let short = |opaque: &Opaque| {
        let name = opaque.ty.rsplit("::").next().unwrap_or_default();
        format!("{}: {name}", opaque.path)
    };
    let found: Vec<_> = report.opaque.iter().map(short).collect();
    assert_eq!(found, expected, "{}", type_name::<T>());
    report
}

#[derive(Deserialize)]
#[serde(tag = "kind", content = "content")]
enum AdjacentStruct {
    Circle { radius: u8 },
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Checked;

impl TryFrom<String> for Checked {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        if text == "nothing we would guess" { Ok(Self) } else { Err("no".to_owned()) }
    }
}

/// An amount, from whatever it is given.
struct Decimal;

fn decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.starts_with("EUR ") { Ok(Decimal) } else { Err(D::Error::custom("no")) }
}

#[derive(Deserialize)]
struct Order {
    #[serde(deserialize_with = "decimal")]
    price: Decimal,
    first: Checked,
    second: Checked,
    after: Every,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
enum Line {
    Checked(Checked),
    Other(Other),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
}

#[derive(Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    Circle { radius: u8 },
}

#[derive(Deserialize)]
struct Flattened {
    id: u8,
    #[serde(flatten)]
    rest: Flat,
}

#[derive(Deserialize)]
struct Holder {
    id: u8,
    untagged: Untagged,
    other: Other,
}

#[test]
fn what_checks_more_than_samples_pass_is_opaque_alone() {
    let report = opaque::<Order>(&[
        "price: Order",
        "first: Checked",
        "second: Checked",
        "lines[].Checked: Checked",
    ]);
    assert!(!report.asks_any);
    opaque::<Checked>(&[": Checked"]);
}

#[test]
fn what_asks_for_anything_is_opaque_and_says_so() {
    assert!(opaque::<Untagged>(&[": Untagged"]).asks_any);
    assert!(opaque::<Internal>(&[": Internal"]).asks_any);
    assert!(opaque::<AdjacentStruct>(&["content: AdjacentStruct"]).asks_any);
    assert!(opaque::<Holder>(&["untagged: Untagged"]).asks_any);
    assert!(opaque::<Flattened>(&[": Flattened"]).asks_any);
}

#[cfg(feature = "json")]
#[test]
fn a_json_value_is_opaque() {
    assert!(opaque::<serde_json::Value>(&[": Value"]).asks_any);
    assert!(opaque::<Page<serde_json::Value>>(&["items[]: Value"]).asks_any);
}

#[test]
fn an_opaque_place_says_where_it_is() {
    let report = report::<Page<Order>>();
    let said: Vec<_> = report.opaque.iter().map(ToString::to_string).collect();
    assert!(said[0].starts_with("opaque at items[].price: "), "{said:?}");
    assert!(said[0].ends_with("::Order"), "{said:?}");
}

/// No value of it exists.
#[derive(Deserialize)]
struct Endless {
    again: Box<Self>,
    number: u8,
}

#[derive(Deserialize)]
enum Never {}

struct Panics;

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("the walk survives this")
    }
}

#[test]
fn every_walk_ends() {
    report::<Endless>();
    report::<Never>();
    opaque::<Panics>(&[": Panics"]);
    assert_ne!(id::<Endless>(), id::<Never>());
}
