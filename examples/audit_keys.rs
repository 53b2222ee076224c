//! What a shop caches, and the exact keys it will use: `cargo run --example audit_keys`.
//!
//! Three functions, three decisions, each with its reason. The table is what a review sees; in a
//! unit test, `herdless::audit().assert_snapshot("caches.md")` keeps it true. What the attribute
//! makes of the functions: `cargo expand --example audit_keys`.

use herdless::{Cache, cached};

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
async fn homepage_feed(region: &str) -> Result<Vec<String>, String> {
    Ok(vec![format!("News from {region}")])
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
async fn product_price(product: u64, currency: String) -> Result<u64, herdless::LoadFailed> {
    let cents = 1999 + product;
    Ok(if currency == "USD" { cents * 11 / 10 } else { cents })
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
async fn category_count(database: &Database, category: &str, max_price: Option<u32>) -> usize {
    let Database = database;
    category.len() + usize::from(max_price.is_none())
}

#[tokio::main]
async fn main() {
    println!("{}", herdless::audit());

    let cache = Cache::builder().namespace("shop").build();
    let tools = "garden \"tools\"";
    let keys = [
        cache.redis_key(homepage_feed("eu-west").key()),
        cache.redis_key(product_price(7, "EUR".into()).key()),
        cache.redis_key(product_price(7, "USD".into()).key()),
        cache.redis_key(category_count(&Database, tools, Some(5000)).key()),
        cache.redis_key(category_count(&Database, tools, None).key()),
    ];
    println!("keys of sample arguments, under the namespace `shop`:");
    keys.iter().for_each(|key| println!("    {key}"));

    let findings = herdless::audit().findings();
    println!("findings of the audit: {}", findings.len());
    findings.iter().for_each(|finding| println!("    {finding}"));

    herdless::with_cache(cache, async {
        let feed = homepage_feed("eu-west").await;
        let price = product_price(7, "EUR".into()).await;
        println!("{feed:?}, {price:?} cents");
    })
    .await;
}
