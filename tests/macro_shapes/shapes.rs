//! The shapes that other attributes of this kind fail on, one by one: 28, by number.
#![deny(missing_docs)]

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use herdless::cached;
use serde::Serialize;

use crate::{Loads, loads, twice_and_other};

/// One cached function, its counter and its test: two equal calls, another one, two loads.
macro_rules! shape {
    (
        $test:ident $loads:ident: $same:expr => $answer:expr, $other:expr => $different:expr;
        $($item:item)*
    ) => {
        static $loads: Loads = Loads::new();
        $($item)*
        #[tokio::test]
        async fn $test() {
            twice_and_other!($same => $answer, $other => $different);
            loads(2, &$loads);
        }
    };
}

shape! {
    // Shape 1: two arguments.
    shape_01 L1: add(1, 2) => 3, add(1, 3) => 4;
    #[cached(ttl = 300)]
    async fn add(a: u32, b: u64) -> u64 { L1.add(); u64::from(a) + b }
}

/// Shape 2: no arguments.
#[cached(ttl = 300)]
pub async fn seven() -> u32 {
    L2.add();
    7
}
static L2: Loads = Loads::new();

#[tokio::test]
async fn shape_02() {
    assert_eq!((seven().await, seven().await), (7, 7));
    loads(1, &L2);
}

shape! {
    // Shape 3: `&str`.
    shape_03 L3: length("ab") => 2, length("abc") => 3;
    #[cached(ttl = 300)]
    async fn length(text: &str) -> usize { L3.add(); text.len() }
}

shape! {
    // Shape 4: a named lifetime.
    shape_04 L4: named("ab") => 2, named("abc") => 3;
    #[cached(ttl = 300)]
    async fn named<'text>(text: &'text str) -> usize { L4.add(); text.len() }
}

shape! {
    // Shape 5: `&[u8]`.
    shape_05 L5: sum(&[1, 2]) => 3, sum(&[2, 2]) => 4;
    #[cached(ttl = 300)]
    async fn sum(bytes: &[u8]) -> u8 { L5.add(); bytes.iter().sum() }
}

#[derive(Serialize)]
struct User {
    id: u32,
}

shape! {
    // Shape 6: a borrowed struct.
    shape_06 L6: of_user(&User { id: 1 }) => 1, of_user(&User { id: 2 }) => 2;
    #[cached(ttl = 300)]
    async fn of_user(user: &User) -> u32 { L6.add(); user.id }
}

shape! {
    // Shape 7: a `Vec`.
    shape_07 L7: joined(vec!["a".into()]) => "a", joined(vec!["a".into(), "b".into()]) => "ab";
    #[cached(ttl = 300)]
    async fn joined(parts: Vec<String>) -> String { L7.add(); parts.concat() }
}

shape! {
    // Shape 8: a type parameter.
    shape_08 L8: shown(1) => "1", shown("1") => "1";
    #[cached(ttl = 300)]
    async fn shown<T: Display + Serialize>(item: T) -> String { L8.add(); item.to_string() }
}

shape! {
    // Shape 9: a `where` clause.
    shape_09 L9: bounded(1) => "1", bounded(2_u8) => "2";
    #[cached(ttl = 300)]
    async fn bounded<T>(item: T) -> String where T: Display + Serialize { L9.add(); item.to_string() }
}

shape! {
    // Shape 10: a const parameter.
    shape_10 L10: filled::<2>(1) => [1, 1], filled::<3>(1) => [1, 1, 1];
    #[cached(ttl = 300, scope = "process")]
    async fn filled<const N: usize>(seed: u8) -> [u8; N] { L10.add(); [seed; N] }
}

shape! {
    // Shape 11: `impl Trait`.
    shape_11 L11: printed(1) => "1", printed("1") => "1";
    #[cached(ttl = 300)]
    async fn printed(item: impl Display + Serialize) -> String { L11.add(); item.to_string() }
}

shape! {
    // Shape 12: `mut`.
    shape_12 L12: raised(1) => 2, raised(2) => 3;
    #[cached(ttl = 300)]
    async fn raised(mut n: u32) -> u32 { L12.add(); n += 1; n }
}

shape! {
    // Shape 13: a pattern.
    shape_13 L13: differ((3, 2)) => 1, differ((3, 1)) => 2;
    #[cached(ttl = 300)]
    async fn differ((a, b): (u32, u32)) -> u32 { L13.add(); a - b }
}

struct Shop(u32);

trait Prices {
    fn of(&self, id: u32) -> impl Future<Output = u32> + Send;
}

shape! {
    // Shape 14: `&self`.
    shape_14 L14: Shop(1).price(1) => 2, Shop(2).price(1) => 3;
    impl Shop {
        #[cached(ttl = 300, key = "{self.0}:{id}")]
        async fn price(&self, id: u32) -> u32 { L14.add(); self.0 + id }
    }
}

shape! {
    // Shape 15: a method of a trait impl.
    shape_15 L15: Prices::of(&Shop(1), 1) => 1, Prices::of(&Shop(1), 2) => 2;
    impl Prices for Shop {
        #[cached(ttl = 300, key = "{self.0}:{id}")]
        async fn of(&self, id: u32) -> u32 { L15.add(); self.0 * id }
    }
}

shape! {
    // Shape 16: an associated function.
    shape_16 L16: Shop::open(1) => 1, Shop::open(2) => 2;
    impl Shop {
        #[cached(ttl = 300)]
        async fn open(id: u32) -> u32 { L16.add(); Self(id).0 }
    }
}

type Answer<T> = Result<T, String>;

shape! {
    // Shape 17: an alias of `Result`. Its error is not stored.
    shape_17 L17: aliased(1) => Ok(1), aliased(2) => Ok(2);
    #[cached(ttl = 300)]
    async fn aliased(id: u32) -> Answer<u32> {
        if id == 0 { E17.add(); return Err("zero".to_owned()); }
        L17.add();
        Ok(id)
    }
}
static E17: Loads = Loads::new();

#[tokio::test]
async fn shape_17_error() {
    for _ in 0..2 {
        assert_eq!(aliased(0).await, Err("zero".to_owned()));
    }
    loads(2, &E17);
}

shape! {
    // Shape 18: an `Option`. `None` is a value.
    shape_18 L18: positive(0) => None, positive(2) => Some(2);
    #[cached(ttl = 300)]
    async fn positive(n: u32) -> Option<u32> { L18.add(); (n > 0).then_some(n) }
}

shape! {
    // Shape 19: a plain value.
    shape_19 L19: doubled(1) => 2, doubled(2) => 4;
    #[cached(ttl = 300)]
    async fn doubled(n: u32) -> u32 { L19.add(); n * 2 }
}

shape! {
    // Shape 20: floats, told apart by their bits.
    shape_20 L20: halved(0.0) => 0.0, halved(-0.0) => 0.0;
    #[cached(ttl = 300)]
    async fn halved(n: f64) -> f64 { L20.add(); n / 2.0 }
}

/// Shape 21: a documented public function where documentation is demanded, as in this file.
#[cached(ttl = 300)]
pub async fn documented(id: u32) -> u32 {
    L21.add();
    id
}
static L21: Loads = Loads::new();

#[tokio::test]
async fn shape_21() {
    twice_and_other!(documented(1) => 1, documented(2) => 2);
    loads(2, &L21);
}

/// Shape 22: recursion through a box.
#[cached(ttl = 300)]
pub async fn fibonacci(n: u64) -> u64 {
    L22.add();
    match n {
        0 | 1 => n,
        _ => Box::pin(fibonacci(n - 1)).await + Box::pin(fibonacci(n - 2)).await,
    }
}
static L22: Loads = Loads::new();

#[tokio::test]
async fn shape_22() {
    twice_and_other!(fibonacci(50) => 12_586_269_025, fibonacci(51) => 20_365_011_074);
    loads(52, &L22);
}

shape! {
    // Shape 23: an argument named `key`.
    shape_23 L23: by_key("a") => 1, by_key("ab") => 2;
    #[cached(ttl = 300)]
    async fn by_key(key: &str) -> usize { L23.add(); key.len() }
}

shape! {
    // Shape 24: an argument named `cache`.
    shape_24 L24: by_cache(1) => 1, by_cache(2) => 2;
    #[cached(ttl = 300)]
    async fn by_cache(cache: u32) -> u32 { L24.add(); cache }
}

shape! {
    // Shape 25: an argument named `result`.
    shape_25 L25: by_result(1) => 1, by_result(2) => 2;
    #[cached(ttl = 300)]
    async fn by_result(result: u32) -> u32 { L25.add(); result }
}

shape! {
    // Shape 26: `Result` by its own name, with `?`.
    shape_26 L26: parsed("1") => Ok(1), parsed("2") => Ok(2);
    #[cached(ttl = 300)]
    async fn parsed(text: &str) -> Result<u32, std::num::ParseIntError> {
        L26.add();
        let n = text.parse()?;
        Ok(n)
    }
}

/// No traits at all.
struct Pool(u32);

shape! {
    // Shape 27: a connection that tells no calls apart.
    shape_27 L27: rows(&Pool(1), 1) => 2, rows(&Pool(2), 2) => 4;
    #[cached(ttl = 300, skip(pool))]
    async fn rows(pool: &Pool, id: u32) -> u32 { L27.add(); pool.0 + id }
}

shape! {
    // Shape 28: a shared value by `Arc<Self>`.
    shape_28 L28: Arc::new(Shop(1)).shared() => 1, Arc::new(Shop(2)).shared() => 2;
    impl Shop {
        #[cached(ttl = 300, key = "{self.0}")]
        async fn shared(self: Arc<Self>) -> u32 { L28.add(); self.0 }
    }
}
