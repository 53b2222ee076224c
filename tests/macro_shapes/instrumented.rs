//! `#[tracing::instrument]` beside `#[cached]`: one span for each load, named after the user's function.

use async_trait::async_trait;
use herdless::cached;

use crate::log::Log;
use crate::{Loads, loads, twice_and_other};

static LOADS: [Loads; 8] = [const { Loads::new() }; 8];

#[tracing::instrument]
#[cached(ttl = 300)]
async fn free_above(id: u32) -> u32 {
    LOADS[0].add();
    id
}

#[cached(ttl = 300)]
#[tracing::instrument]
async fn free_below(id: u32) -> u32 {
    LOADS[1].add();
    id
}

struct Shop;

impl Shop {
    #[tracing::instrument(skip(self))]
    #[cached(ttl = 300, skip(self))]
    async fn method_above(&self, id: u32) -> u32 {
        LOADS[2].add();
        id
    }

    #[cached(ttl = 300, skip(self))]
    #[tracing::instrument(skip(self))]
    async fn method_below(&self, id: u32) -> Result<u32, String> {
        LOADS[3].add();
        Ok(id)
    }
}

trait Prices {
    fn above(&self, id: u32) -> impl Future<Output = u32> + Send;
    fn below(&self, id: u32) -> impl Future<Output = u32> + Send;
}

impl Prices for Shop {
    #[tracing::instrument(skip(self))]
    #[cached(ttl = 300, skip(self))]
    async fn above(&self, id: u32) -> u32 {
        LOADS[4].add();
        id
    }

    #[cached(ttl = 300, skip(self))]
    #[tracing::instrument(skip(self))]
    async fn below(&self, id: u32) -> u32 {
        LOADS[5].add();
        id
    }
}

#[async_trait]
trait Boxed {
    async fn boxed_above(&self, id: u32) -> u32;
    async fn boxed_below(&self, id: u32) -> u32;
}

#[async_trait]
impl Boxed for Shop {
    #[tracing::instrument(skip(self))]
    #[cached(ttl = 300, skip(self))]
    async fn boxed_above(&self, id: u32) -> u32 {
        LOADS[6].add();
        id
    }

    #[cached(ttl = 300, skip(self))]
    #[tracing::instrument(skip(self))]
    async fn boxed_below(&self, id: u32) -> u32 {
        LOADS[7].add();
        id
    }
}

#[tokio::test]
async fn a_span_for_each_load() {
    let (log, _guard) = Log::here();
    twice_and_other!(free_above(1) => 1, free_above(2) => 2);
    twice_and_other!(free_below(1) => 1, free_below(2) => 2);
    twice_and_other!(Shop.method_above(1) => 1, Shop.method_above(2) => 2);
    twice_and_other!(Shop.method_below(1) => Ok(1), Shop.method_below(2) => Ok(2));
    twice_and_other!(Shop.above(1) => 1, Shop.above(2) => 2);
    twice_and_other!(Shop.below(1) => 1, Shop.below(2) => 2);
    twice_and_other!(Shop.boxed_above(1) => 1, Shop.boxed_above(2) => 2);
    twice_and_other!(Shop.boxed_below(1) => 1, Shop.boxed_below(2) => 2);
    LOADS.iter().for_each(|one| loads(2, one));
    let names = [
        "free_above",
        "free_below",
        "method_above",
        "method_below",
        "above",
        "below",
        "boxed_above",
        "boxed_below",
    ];
    assert_eq!(log.spans_of(module_path!()), names.map(|name| [name; 2]).concat());
}

static INERT: Loads = Loads::new();

/// Attributes that no macro takes away, on either side.
#[cached(ttl = 300)]
#[rust_analyzer::skip]
#[rustfmt::skip]
async fn inert(id: u32) -> u32 { INERT.add(); id }

#[rust_analyzer::skip]
#[cached(ttl = 300)]
#[tracing::instrument]
async fn inert_and_another(id: u32) -> u32 {
    INERT.add();
    id
}

#[tokio::test]
async fn inert_attributes() {
    twice_and_other!(inert(1) => 1, inert(2) => 2);
    twice_and_other!(inert_and_another(1) => 1, inert_and_another(2) => 2);
    loads(4, &INERT);
}
