//! A slow query, four hundred callers at once, one load.
//!
//! ```text
//! cargo run --example quickstart
//! ```
//!
//! No server and no arguments: with nothing configured, values live in this process. The same
//! functions share their values between processes once a cache with a store is installed, see
//! `herdless::install`.

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use herdless::{Call, cached};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

/// How often the database was asked.
static QUERIES: AtomicU32 = AtomicU32::new(0);

/// 450 ms of SQL, let us say.
async fn count_rows(min_score: u32) -> u32 {
    QUERIES.fetch_add(1, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(450)).await;
    1000 - min_score
}

/// The default: one caller loads, all others wait for what it brings.
#[cached(ttl = "5m")]
async fn under_lock(min_score: u32) -> u32 {
    count_rows(min_score).await
}

/// Hot keys: some reader refreshes shortly before the end, the earlier the dearer the load.
#[cached(ttl = "5m", strategy = "xfetch", beta = 1.0, jitter = "30s")]
async fn by_chance(min_score: u32) -> u32 {
    count_rows(min_score).await
}

/// The same without the dice: the first reader near the end refreshes, nobody ever waits.
#[cached(ttl = "5m", strategy = "ahead")]
async fn ahead_of_time(min_score: u32) -> u32 {
    count_rows(min_score).await
}

/// After the end the old value is served for another minute while one refresh runs behind.
#[cached(
    ttl = "5m",
    strategy = "swr",
    grace = "60s",
    reason = "a count on a dashboard: a minute old is better than half a second late"
)]
async fn behind_the_stale(min_score: u32) -> u32 {
    count_rows(min_score).await
}

/// Keys stored together end apart. One load per process, no lock between processes.
#[cached(
    ttl = "5m",
    strategy = "jitter",
    jitter = "1m",
    reason = "cheap enough that every process may load it once"
)]
async fn at_a_drawn_moment(min_score: u32) -> u32 {
    count_rows(min_score).await
}

#[tokio::main]
async fn main() -> ExitCode {
    println!("{:<10}{:>9}{:>7}{:>15}", "strategy", "callers", "loads", "slowest wait");
    let loads = [
        stampede("lock", || under_lock(80)).await,
        stampede("xfetch", || by_chance(80)).await,
        stampede("ahead", || ahead_of_time(80)).await,
        stampede("swr", || behind_the_stale(80)).await,
        stampede("jitter", || at_a_drawn_moment(80)).await,
    ];
    if loads == [1; 5] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lets everybody call in the same moment; prints one line of the table and returns the loads.
async fn stampede<F>(strategy: &str, call: impl Fn() -> Call<F>) -> u32
where
    F: Future<Output = u32> + Send + 'static,
{
    const CALLERS: usize = 400;
    let before = QUERIES.load(Ordering::Relaxed);
    let together = Arc::new(Barrier::new(CALLERS));
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (together, call) = (Arc::clone(&together), call());
        callers.spawn(async move {
            together.wait().await;
            let called = Instant::now();
            assert_eq!(call.await, 920);
            called.elapsed()
        });
    }
    let slowest = callers.join_all().await.into_iter().max().unwrap_or_default();
    let loads = QUERIES.load(Ordering::Relaxed) - before;
    println!("{strategy:<10}{CALLERS:>9}{loads:>7}{:>12} ms", slowest.as_millis());
    loads
}
