//! Type and const parameters, `where`, `impl Trait` arguments, lifetimes.

use std::fmt::Display;

use herdless::cached;
use serde::Serialize;

use crate::{Loads, loads, send, twice_and_other};

#[cached(ttl = 300)]
async fn label<T>(item: T) -> String
where
    T: Display + Send + Serialize,
{
    LABEL.add();
    item.to_string()
}
static LABEL: Loads = Loads::new();

#[cached(ttl = 300)]
async fn width<T: Default + Send>(_id: u32) -> usize {
    WIDTH.add();
    size_of::<T>()
}
static WIDTH: Loads = Loads::new();

#[cached(ttl = 300, scope = "process")]
async fn block<const N: usize>(seed: u8) -> [u8; N] {
    BLOCK.add();
    [seed; N]
}
static BLOCK: Loads = Loads::new();

// M03
#[tokio::test]
async fn type_and_const_parameters() {
    twice_and_other!(send(label(1u32)) => "1", label("1") => "1");
    loads(2, &LABEL);
    twice_and_other!(width::<u8>(7) => 1, width::<u64>(7) => 8);
    loads(2, &WIDTH);
    twice_and_other!(block::<2>(1) => [1; 2], block::<4>(1) => [1; 4]);
    loads(2, &BLOCK);
}

#[cached(ttl = 300)]
async fn pick<'a>(a: &'a str) -> String {
    PICK.add();
    a.to_owned()
}
static PICK: Loads = Loads::new();

#[cached(ttl = 300)]
async fn two<'a, 'b: 'a>(a: &'a str, b: &'b [&'a str]) -> usize
where
    'b: 'a,
{
    TWO.add();
    a.len() + b.len()
}
static TWO: Loads = Loads::new();

#[tokio::test]
async fn lifetimes() {
    twice_and_other!(pick("a") => "a", pick("b") => "b");
    loads(2, &PICK);
    twice_and_other!(send(two("a", &["b"])) => 2, two("a", &[]) => 1);
    loads(2, &TWO);
}

#[cached(ttl = 300)]
async fn opaque(
    a: impl Display + Serialize,
    b: Option<&(impl Display + Serialize)>,
    c: &[impl Serialize],
) -> String
where
    Wrapped: Serialize,
{
    OPAQUE.add();
    format!("{a}{}{}", b.map_or_else(String::new, ToString::to_string), c.len())
}
static OPAQUE: Loads = Loads::new();
#[derive(Serialize)]
struct Wrapped;

#[cached(ttl = 300)]
async fn mixed<'a, T: Serialize + Copy, const N: usize>(
    a: &'a [T; N],
    b: impl Serialize,
) -> Option<Vec<String>>
where
    [T; N]: Serialize,
    T: Display,
{
    MIXED.add();
    let _ = b;
    Some(a.iter().map(ToString::to_string).collect())
}
static MIXED: Loads = Loads::new();

#[tokio::test]
async fn impl_trait_arguments() {
    twice_and_other!(opaque(1, Some(&2), &[Wrapped]) => "121", opaque(1, Some(&3), &[Wrapped]) => "131");
    loads(2, &OPAQUE);
    twice_and_other!(
        mixed(&[1, 2], 0) => Some(vec!["1".to_owned(), "2".to_owned()]),
        mixed(&["a"], 0) => Some(vec!["a".to_owned()])
    );
    loads(2, &MIXED);
}
