//! `#[async_trait]` above `#[cached]`: the boxed method is cached and stays boxed.

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use async_trait::async_trait;
use herdless::cached;
use serde::Serialize;

use crate::results::{Answer, NotFound};
use crate::{Loads, loads, send, twice_and_other};

#[async_trait]
trait Rates: Sync {
    fn base(&self) -> u64;
    async fn quote(&self, day: u32) -> u64;
    async fn patterns(&self, (a, b): (u32, u32), mut total: u64) -> u64;
    async fn find(&self, id: u32) -> Answer<u32>;

    #[cached(ttl = 300, skip(self))]
    async fn by_default(&self, day: u32) -> u64 {
        BY_DEFAULT.add();
        tokio::task::yield_now().await;
        self.base() + u64::from(day)
    }
}
static BY_DEFAULT: Loads = Loads::new();

struct Bank(u64);

#[async_trait]
impl Rates for Bank {
    fn base(&self) -> u64 {
        self.0
    }

    // M05 (b), boxed.
    #[cached(ttl = 300, key = "{self.0}:{day}")]
    async fn quote(&self, day: u32) -> u64 {
        QUOTE.add();
        tokio::task::yield_now().await;
        self.0 + u64::from(day)
    }

    // M04, boxed.
    #[cached(ttl = 300, skip(self))]
    async fn patterns(&self, (a, b): (u32, u32), mut total: u64) -> u64 {
        PATTERNS.add();
        total += u64::from(a) * 10 + u64::from(b);
        total
    }

    // M08, boxed.
    #[cached(ttl = 300, skip(self))]
    async fn find(&self, id: u32) -> Answer<u32> {
        FIND.add();
        if id == 0 {
            return Err(NotFound(0));
        }
        Ok(id)
    }
}
static QUOTE: Loads = Loads::new();
static PATTERNS: Loads = Loads::new();
static FIND: Loads = Loads::new();

struct Broker;

#[async_trait]
impl Rates for Broker {
    fn base(&self) -> u64 {
        100
    }

    #[cached(ttl = 300, skip(self))]
    async fn quote(&self, day: u32) -> u64 {
        u64::from(day) * 100
    }

    async fn patterns(&self, (a, b): (u32, u32), total: u64) -> u64 {
        u64::from(a + b) + total
    }

    async fn find(&self, id: u32) -> Answer<u32> {
        Ok(id)
    }
}

#[tokio::test]
async fn through_a_trait_object() {
    let banks: [Arc<dyn Rates + Send>; 2] = [Arc::new(Bank(1)), Arc::new(Bank(2))];
    twice_and_other!(send(banks[0].quote(1)) => 2, banks[1].quote(1) => 3);
    loads(2, &QUOTE);
    let boxed: Pin<Box<dyn Future<Output = u64> + Send + '_>> = banks[0].quote(1);
    assert_eq!(boxed.await, 2);
    let spawned = tokio::spawn(async move { banks[1].quote(1).await });
    assert_eq!(spawned.await.unwrap(), 3);
    loads(2, &QUOTE);
    assert_eq!(Broker.quote(1).await, 100);
}

#[tokio::test]
async fn patterns_and_results() {
    twice_and_other!(Bank(1).patterns((1, 2), 0) => 12, Bank(1).patterns((2, 1), 0) => 21);
    loads(2, &PATTERNS);
    for _ in 0..2 {
        assert_eq!(Bank(1).find(0).await, Err(NotFound(0)));
        assert_eq!(Bank(1).find(1).await, Ok(1));
    }
    loads(3, &FIND);
    assert_eq!(Broker.patterns((1, 2), 3).await, 6);
    assert_eq!(Broker.find(1).await, Ok(1));
}

/// Two implementors share the body and not the values.
#[tokio::test]
async fn default_bodies() {
    twice_and_other!(Bank(7).by_default(1) => 8, Broker.by_default(1) => 101);
    loads(2, &BY_DEFAULT);
}

#[async_trait]
trait Shown {
    async fn show<T: Display + Serialize + Send + Sync>(&self, item: T, suffix: &str) -> String;
    async fn named(name: &str) -> String
    where
        Self: Sized;
}

struct Holder<T>(T);

#[async_trait]
impl<S: Display + Serialize + Send + Sync> Shown for Holder<S> {
    #[cached(ttl = 300, key = "{self.0}:{item}:{suffix}")]
    async fn show<T: Display + Serialize + Send + Sync>(&self, item: T, suffix: &str) -> String {
        SHOW.add();
        format!("{}{item}{suffix}", self.0)
    }

    #[cached(ttl = 300)]
    async fn named(name: &str) -> String {
        NAMED.add();
        name.repeat(size_of::<S>())
    }
}
static SHOW: Loads = Loads::new();
static NAMED: Loads = Loads::new();

#[tokio::test]
async fn generic() {
    twice_and_other!(Holder(1).show(2, "x") => "12x", Holder(1).show("2", "x") => "12x");
    twice_and_other!(Holder("1").show(2, "x") => "12x", Holder(1).show(2, "y") => "12y");
    loads(4, &SHOW);
    twice_and_other!(Holder::<u8>::named("a") => "a", Holder::<u16>::named("a") => "aa");
    loads(2, &NAMED);
}

#[async_trait(?Send)]
trait Local {
    async fn twice(&self, n: u32) -> u32;
}

#[async_trait(?Send)]
impl Local for Bank {
    #[cached(ttl = 300, skip(self))]
    async fn twice(&self, n: u32) -> u32 {
        TWICE.add();
        let shared = Rc::new(n);
        tokio::task::yield_now().await;
        *shared * 2
    }
}
static TWICE: Loads = Loads::new();

#[tokio::test]
async fn not_send() {
    twice_and_other!(Bank(1).twice(1) => 2, Bank(1).twice(2) => 4);
    loads(2, &TWICE);
}
