//! Cached functions of every kind, most with one thing wrong.

#![allow(dead_code, reason = "the audit lists what is never called")]

use std::rc::Rc;
use std::time::Duration;

use herdless::{LoadFailed, cached};

const FEED_TTL: Duration = Duration::from_secs(600);

pub(crate) struct Pool;
pub(crate) struct PgConnection;
pub(crate) struct Shop;
pub(crate) struct Shelf<T>(T);

pub(crate) trait Rates {
    fn rate(&self, day: u32) -> impl Future<Output = u64> + Send;
}

#[cached(ttl = 30, strategy = "xfetch", beta = 2, jitter = 3, timeout = "1500ms", concurrency = 4)]
pub(crate) async fn price(id: u64) -> Result<u64, LoadFailed> {
    Ok(id)
}

#[cached(
    ttl = FEED_TTL,
    strategy = "swr",
    grace = 60,
    jitter = 60,
    skip(pool),
    hash(token),
    key = "feed:{region}",
    detach = false,
    reason = "a minute old is fine"
)]
pub(crate) async fn feed(pool: &Pool, region: &str, token: String) -> String {
    let Pool = pool;
    format!("{region}{}", token.len())
}

impl Shop {
    const TTL: Duration = Duration::from_secs(5);

    #[cached(ttl = Self::TTL, jitter = 1, skip(self), none = "skip", detach = false)]
    pub(crate) async fn stock(&self, id: u32) -> Option<u32> {
        Some(id)
    }
}

impl Rates for Shop {
    #[cached(ttl = 60, jitter = 6, skip(self), detach = false)]
    async fn rate(&self, day: u32) -> u64 {
        u64::from(day)
    }
}

impl<T: ToString> Shelf<T> {
    #[cached(ttl = 60, jitter = 6, key = "all", skip(self), detach = false)]
    pub(crate) async fn label(&self) -> String {
        self.0.to_string()
    }
}

#[cached(ttl = 60, jitter = 6, name = "reports", version = 7, cache = "reports")]
pub(crate) async fn report(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, cache = "absent")]
pub(crate) async fn absent(id: u32) -> u32 {
    id
}

/// The cache of this name has no store.
#[cached(ttl = 60, jitter = 6, cache = "scratch")]
pub(crate) async fn scratched(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, scope = "process")]
pub(crate) async fn in_process(id: u32) -> u32 {
    id
}

#[cached(ttl = 60)]
pub(crate) async fn no_jitter(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, strategy = "xfetch", beta = 10)]
pub(crate) async fn eager(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, grace = 1, reason = "short")]
pub(crate) async fn short_grace(id: u32) -> u32 {
    id
}

#[cached(ttl = 600, jitter = 6, lease = 90, wait = 120)]
pub(crate) async fn long_lease(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, lease = 10, wait = 5)]
pub(crate) async fn lease_over_wait(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, timeout = 60)]
pub(crate) async fn timeout_over_wait(id: u32) -> Result<u32, LoadFailed> {
    Ok(id)
}

#[cached(ttl = 60, jitter = 6, skip(user_id))]
pub(crate) async fn skipped_user(id: u32, user_id: u64) -> u64 {
    u64::from(id) + user_id
}

#[cached(ttl = 60, jitter = 6)]
pub(crate) async fn borrowed(name: &str) -> String {
    name.to_owned()
}

#[cached(ttl = 60, jitter = 6)]
pub(crate) async fn not_send(id: u32) -> u32 {
    let shared = Rc::new(id);
    tokio::task::yield_now().await;
    *shared
}

#[cached(ttl = 60, jitter = 6, skip(connection), detach = false)]
pub(crate) async fn connected(connection: &mut PgConnection, id: u32) -> u32 {
    let PgConnection = connection;
    id
}

#[cached(ttl = 60, jitter = 6, skip(user_agent), detach = false)]
pub(crate) async fn skipped_agent(id: u32, user_agent: &str) -> usize {
    id as usize + user_agent.len()
}

pub(crate) struct UserContext(u32);
pub(crate) struct UserAgentParser;
pub(crate) struct Sender;

#[cached(ttl = 60, jitter = 6, skip(context), detach = false)]
pub(crate) async fn for_a_context(id: u32, context: &UserContext) -> u32 {
    id + context.0
}

/// Nothing here is anybody, and nothing is held.
#[cached(ttl = 60, jitter = 6, skip(parser, tx, pool), detach = false)]
pub(crate) async fn tools(id: u32, parser: &UserAgentParser, tx: &Sender, pool: &Pool) -> u32 {
    let (UserAgentParser, Sender, Pool) = (parser, tx, pool);
    id
}

#[cached(ttl = 60, jitter = 6, skip(tx), detach = false)]
pub(crate) async fn within<T: Sync>(tx: &T, id: u32) -> u32 {
    let _ = tx;
    id
}

#[derive(serde::Serialize)]
pub(crate) struct BankTransaction(u32);

/// Not a connection: it stands in the key.
#[cached(ttl = 60, jitter = 6)]
pub(crate) async fn booked(transaction: BankTransaction) -> u32 {
    transaction.0
}
