//! Methods, associated functions, `Self`, and methods of trait impls.

use std::future::Future;
use std::sync::Arc;

use herdless::cached;
use serde::{Deserialize, Serialize};

use crate::{Loads, loads, send, twice_and_other};

struct Tariff {
    rate: u64,
}

impl Tariff {
    #[cached(ttl = 300, key = "{self.rate}:{qty}")]
    async fn price(&self, qty: u64) -> u64 {
        PRICE.add();
        self.rate * qty
    }

    #[cached(ttl = 300, skip(self))]
    async fn currency(&self, region: &str) -> String {
        CURRENCY.add();
        region.to_uppercase()
    }

    #[cached(ttl = 300, key = "{self.rate}")]
    async fn raise(mut self) -> u64 {
        RAISE.add();
        self.rate += 1;
        self.rate
    }

    #[cached(ttl = 300, key = "{self.rate}")]
    async fn raise_here(&mut self) -> u64 {
        RAISE.add();
        self.rate += 1;
        self.rate
    }

    #[cached(ttl = 300, key = "{self.rate}:{_unused}")]
    async fn shared(self: Arc<Self>, _unused: u8) -> u64 {
        SHARED.add();
        self.rate
    }
}
static PRICE: Loads = Loads::new();
static CURRENCY: Loads = Loads::new();
static RAISE: Loads = Loads::new();
static SHARED: Loads = Loads::new();

struct Freight {
    rate: u64,
}

impl Freight {
    #[cached(ttl = 300, key = "{self.rate}:{qty}")]
    async fn price(&self, qty: u64) -> u64 {
        self.rate + qty
    }
}

// M02
#[tokio::test]
async fn who_is_self() {
    let (two, three) = (Tariff { rate: 2 }, Tariff { rate: 3 });
    twice_and_other!(send(two.price(5)) => 10, three.price(5) => 15);
    loads(2, &PRICE);
    assert_eq!(Freight { rate: 2 }.price(5).await, 7);
    twice_and_other!(two.currency("eur") => "EUR", three.currency("usd") => "USD");
    loads(2, &CURRENCY);
}

#[tokio::test]
async fn kinds_of_self() {
    let tariff = |rate| Tariff { rate };
    twice_and_other!(tariff(1).raise() => 2, tariff(2).raise() => 3);
    loads(2, &RAISE);
    twice_and_other!(tariff(1).raise_here() => 2, tariff(2).raise_here() => 3);
    let shared = |rate| Arc::new(tariff(rate)).shared(0);
    twice_and_other!(shared(1) => 1, shared(2) => 2);
    loads(2, &SHARED);
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Plan {
    id: u32,
}

impl Plan {
    const LIMIT: u32 = 10;

    #[cached(ttl = 300)]
    async fn load(id: u32) -> Option<Self> {
        LOAD.add();
        println!("{}", Self::LIMIT);
        (id < Self::LIMIT).then_some(Self { id })
    }

    #[cached(ttl = 300, key = "{self}{other}")]
    async fn merge(self, other: Self) -> Self {
        MERGE.add();
        Self { id: self.id + other.id }
    }

    #[cached(ttl = 300)]
    async fn plain(id: u32) -> u32 {
        id
    }
}
static LOAD: Loads = Loads::new();
static MERGE: Loads = Loads::new();

// M12
#[tokio::test]
async fn self_type() {
    twice_and_other!(Plan::load(1) => Some(Plan { id: 1 }), Plan::load(11) => None);
    loads(2, &LOAD);
    assert!(Plan::load(1).key().as_str().contains("Plan::load"));
    let merge = |one, other| Plan { id: one }.merge(Plan { id: other });
    twice_and_other!(merge(1, 2) => Plan { id: 3 }, merge(1, 3) => Plan { id: 4 });
    loads(2, &MERGE);
    twice_and_other!(Plan::plain(1) => 1, Plan::plain(2) => 2);
}

struct Holder<T>(T);

impl<T: Serialize + Send + Sync + Clone + std::fmt::Display> Holder<T> {
    #[cached(ttl = 300, key = "{self.0}:{suffix}")]
    async fn show(&self, suffix: &str) -> String {
        SHOW.add();
        format!("{}{suffix}", self.0)
    }

    #[cached(ttl = 300)]
    async fn of(item: T) -> String {
        OF.add();
        item.to_string()
    }

    #[cached(ttl = 300)]
    async fn width(_id: u32) -> usize {
        WIDTH.add();
        size_of::<T>()
    }
}
static SHOW: Loads = Loads::new();
static OF: Loads = Loads::new();
static WIDTH: Loads = Loads::new();

#[tokio::test]
async fn generic_impl() {
    twice_and_other!(Holder(1).show("x") => "1x", Holder("1").show("x") => "1x");
    loads(2, &SHOW);
    twice_and_other!(Holder::of(1) => "1", Holder::of("1") => "1");
    loads(2, &OF);
    twice_and_other!(Holder::<u8>::width(7) => 1, Holder::<u64>::width(7) => 8);
    loads(2, &WIDTH);
}

trait Rates {
    fn quote(&self, day: u32) -> impl Future<Output = u64> + Send;
    fn named(name: &str) -> impl Future<Output = String> + Send;
    async fn plain(&self, name: &str) -> String;
}

struct Bank(u64);
struct Broker<T>(T);

impl Rates for Bank {
    #[cached(ttl = 300, key = "{self.0}{day}")]
    async fn quote(&self, day: u32) -> u64 {
        QUOTE.add();
        tokio::task::yield_now().await;
        self.0 + u64::from(day)
    }

    #[cached(ttl = 300)]
    async fn named(name: &str) -> String {
        NAMED.add();
        name.to_owned()
    }

    #[cached(ttl = 300, key = "{self.0}{name}")]
    async fn plain(&self, name: &str) -> String {
        format!("{name}{}", self.0)
    }
}
static QUOTE: Loads = Loads::new();
static NAMED: Loads = Loads::new();

impl<T: Serialize + Sync + Send> Rates for Broker<T> {
    #[cached(ttl = 300, key = "{self.0}{day}")]
    async fn quote(&self, day: u32) -> u64 {
        u64::from(day)
    }

    #[cached(ttl = 300)]
    async fn named(name: &str) -> String {
        name.repeat(2)
    }

    #[cached(ttl = 300, skip(self))]
    async fn plain(&self, name: &str) -> String {
        name.to_owned()
    }
}

static DEFAULT: Loads = Loads::new();

trait Fares {
    fn base(&self) -> u64;

    #[cached(ttl = 300, skip(self))]
    async fn fare(&self, day: u64) -> u64 {
        DEFAULT.add();
        self.base() + day
    }
}

struct Day;
struct Night;

impl Fares for Day {
    fn base(&self) -> u64 {
        10
    }
}

impl Fares for Night {
    fn base(&self) -> u64 {
        20
    }

    #[cached(ttl = 300, skip(self))]
    async fn fare(&self, day: u64) -> u64 {
        DEFAULT.add();
        self.base() - day
    }
}

#[tokio::test]
async fn default_methods_and_those_that_override_them() {
    twice_and_other!(Day.fare(1) => 11, Day.fare(2) => 12);
    twice_and_other!(Night.fare(1) => 19, Night.fare(2) => 18);
    loads(4, &DEFAULT);
}

async fn through_the_trait<R: Rates>(rates: &R, day: u32) -> u64 {
    send(rates.quote(day)).await
}

// M05 (b); (a) and (c) are refusals.
#[tokio::test]
async fn trait_impl() {
    twice_and_other!(through_the_trait(&Bank(1), 2) => 3, through_the_trait(&Bank(2), 2) => 4);
    assert!(Bank(1).quote(2).key().as_str().contains("Bank"));
    loads(2, &QUOTE);
    twice_and_other!(Bank::named("a") => "a", Bank::named("b") => "b");
    loads(2, &NAMED);
    assert_eq!(Broker::<u8>::named("a").await, "aa");
    assert_eq!(through_the_trait(&Broker(1), 9).await, 9);
    assert_eq!(Bank(1).plain("x").await, "x1");
    assert_eq!(Broker(1).plain("x").await, "x");
    let spawned = tokio::spawn(async { Bank(7).quote(1).await });
    assert_eq!(spawned.await.unwrap(), 8);
}

struct Long<Item>(std::marker::PhantomData<Item>);

impl<Item: Serialize + Send + std::fmt::Display> Long<Item> {
    #[cached(ttl = 300, detach = false, refresh = "inline")]
    async fn of(item: Item) -> String {
        item.to_string()
    }
}

#[tokio::test]
async fn long_names_of_type_parameters() {
    twice_and_other!(Long::of(1) => "1", Long::of("2") => "2");
}
