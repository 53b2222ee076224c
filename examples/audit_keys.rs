//! What a shop caches, and the exact keys it will use: `cargo run --example audit_keys`.
//!
//! Three functions, three decisions, each with its reason. The table is what a review sees; in a
//! unit test, `herdless::audit().assert_snapshot("caches.md")` keeps it true. What the attribute
//! makes of the functions: `cargo expand --example audit_keys`.

use herdless::{Cache, cached};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Feed {
    headlines: Vec<String>,
}

#[derive(Debug, Clone, Copy, Serialize)]
enum Currency {
    Eur,
    Usd,
}

#[derive(Debug, Clone, Serialize)]
struct Filter {
    max_price: Option<u32>,
    in_stock: bool,
}

struct Database;

/// The first page of a region: everybody sees it, and it may be a minute old.
#[cached(
    ttl = "10m",
    strategy = "swr",
    grace = "60s",
    jitter = "1m",
    detach = true,
    key = "homepage:{region}",
    reason = "a feed: a minute old is fine, nobody should wait three seconds for it"
)]
async fn homepage_feed(region: &str) -> Result<Feed, String> {
    Ok(Feed { headlines: vec![format!("News from {region}")] })
}

/// What a product costs now: refreshed before its end, never served after it.
#[cached(
    ttl = 30,
    strategy = "xfetch",
    beta = 1.0,
    jitter = 3,
    timeout = "2s",
    reason = "an old price is a wrong price, so nothing stale; and no herd on a sale"
)]
async fn product_price(product: u64, currency: Currency) -> Result<u64, herdless::LoadFailed> {
    let cents = 1999 + product;
    Ok(match currency {
        Currency::Eur => cents,
        Currency::Usd => cents * 11 / 10,
    })
}

/// How many products a category has: cheap to count, thousands of keys, none of them hot.
#[cached(
    ttl = "5m",
    strategy = "jitter",
    jitter = "5m",
    skip(database),
    detach = false,
    reason = "a count by index takes 3 ms: a lock between processes would cost more than a second load"
)]
async fn category_count(database: &Database, category: &str, filter: Filter) -> u64 {
    let Database = database;
    let open = filter.max_price.is_none() || filter.in_stock;
    category.len() as u64 + u64::from(open)
}

#[tokio::main]
async fn main() {
    println!("{}", herdless::audit());

    let cache = Cache::builder().namespace("shop").build();
    let filter = Filter { max_price: Some(5000), in_stock: true };
    let keys = [
        cache.redis_key(homepage_feed("eu-west").key()),
        cache.redis_key(product_price(7, Currency::Eur).key()),
        cache.redis_key(product_price(7, Currency::Usd).key()),
        cache.redis_key(category_count(&Database, "garden \"tools\"", filter).key()),
    ];
    println!("keys of sample arguments, under the namespace `shop`:");
    keys.iter().for_each(|key| println!("    {key}"));

    let findings = herdless::audit().findings();
    println!("findings of the audit: {}", findings.len());
    findings.iter().for_each(|finding| println!("    {finding}"));

    herdless::with_cache(cache, async {
        let feed = homepage_feed("eu-west").await;
        let price = product_price(7, Currency::Eur).await;
        println!("{:?}, {} cents", feed.map(|feed| feed.headlines), price.unwrap_or_default());
    })
    .await;
}
