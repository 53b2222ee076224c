//! The expensive thing behind a cached function, under the test's control.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use herdless::{Cache, Key, RedisStore, with_cache};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::server::Server;

/// Counts loads and lets them end only when the gate is open.
pub(crate) struct Backend {
    started: watch::Sender<u32>,
    ended: AtomicU32,
    running: AtomicU32,
    most: AtomicU32,
    /// Loads up to this number may end.
    allowed: watch::Sender<u32>,
}

/// Counts a load out, however it ends.
struct Running<'a>(&'a Backend);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

impl Backend {
    pub(crate) fn closed() -> Arc<Self> {
        Arc::new(Self {
            started: watch::Sender::new(0),
            ended: AtomicU32::new(0),
            running: AtomicU32::new(0),
            most: AtomicU32::new(0),
            allowed: watch::Sender::new(0),
        })
    }

    pub(crate) fn open() -> Arc<Self> {
        let backend = Self::closed();
        backend.open_gate();
        backend
    }

    /// One load: its number, once the gate is open.
    pub(crate) async fn load(&self) -> u32 {
        let _running = Running(self);
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        self.started.send_modify(|started| *started += 1);
        let number = *self.started.borrow();
        let mut allowed = self.allowed.subscribe();
        allowed.wait_for(|allowed| *allowed >= number).await.expect("the backend is alive");
        number
    }

    /// Lets the first `loads` loads end, whenever they start.
    pub(crate) fn allow(&self, loads: u32) {
        self.allowed.send_replace(loads);
    }

    pub(crate) fn open_gate(&self) {
        self.allow(u32::MAX);
    }

    pub(crate) fn loads(&self) -> u32 {
        *self.started.borrow()
    }

    /// Loads that neither ended nor were dropped.
    pub(crate) fn running(&self) -> u32 {
        self.running.load(Ordering::SeqCst)
    }

    pub(crate) fn most_at_once(&self) -> u32 {
        self.most.load(Ordering::SeqCst)
    }

    /// Resolves when this many loads have started.
    pub(crate) async fn started(&self, loads: u32) {
        let mut started = self.started.subscribe();
        let reached = started.wait_for(|started| *started >= loads);
        within(reached).await.expect("the backend is alive");
    }
}

/// A guard against hanging, not a measurement.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    within_span(Duration::from_secs(20), future).await
}

pub(crate) async fn within_span<T>(guard: Duration, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(guard, future).await.expect("it hangs")
}

/// Lets every task that can run, run until it waits.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// Waits for something that another task will make true.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let guarded = tokio::time::timeout(Duration::from_secs(20), wait).await;
    assert!(guarded.is_ok(), "never: {what}");
}

/// The embedded default and a real Redis, each with a name for messages.
pub(crate) struct World {
    pub(crate) name: &'static str,
    pub(crate) cache: Cache,
    pub(crate) server: Option<Server>,
}

impl World {
    pub(crate) fn embedded() -> Self {
        Self { name: "embedded", cache: Cache::builder().build(), server: None }
    }

    pub(crate) fn redis() -> Self {
        let server = Server::start();
        let cache = cache_on(&server);
        Self { name: "redis", cache, server: Some(server) }
    }

    /// Both, one after the other.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        [Self::embedded as fn() -> Self, Self::redis].into_iter().map(|make| make())
    }

    /// The cache of another process on the same store; the same one where there is no store.
    pub(crate) fn elsewhere(&self) -> Cache {
        self.server.as_ref().map_or_else(|| self.cache.clone(), cache_on)
    }

    /// Runs a call in a task of its own under this world's cache.
    pub(crate) fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        tokio::spawn(with_cache(self.cache.clone(), future))
    }

    /// As many tasks, ready to be joined.
    pub(crate) fn crowd<F>(&self, callers: usize, mut call: impl FnMut() -> F) -> JoinSet<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let mut crowd = JoinSet::new();
        for _ in 0..callers {
            crowd.spawn(with_cache(self.cache.clone(), call()));
        }
        crowd
    }

    pub(crate) async fn run<F: Future>(&self, future: F) -> F::Output {
        with_cache(self.cache.clone(), within(future)).await
    }

    /// Resolves when somebody waits for the key's lease: it has subscribed to its wake-ups.
    pub(crate) async fn waits_for_another_process(&self, key: &Key) {
        let server = self.server.as_ref().expect("processes meet in Redis");
        let mut connection = server.connection().await;
        let channel = format!("{}:wake", self.cache.redis_key(key));
        let waits = async {
            loop {
                let mut ask = redis::cmd("PUBSUB");
                let ask = ask.arg("NUMSUB").arg(&channel);
                let (_, waiting): (String, u32) =
                    ask.query_async(&mut connection).await.expect("PUBSUB");
                if waiting > 0 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        within(waits).await;
    }

    /// Removes the entry and nothing beside it, as a store does that needs the room.
    pub(crate) async fn evict(&self, key: &Key) {
        let Some(server) = &self.server else {
            return self.run(self.cache.invalidate_key(key)).await.unwrap();
        };
        let mut connection = server.connection().await;
        let mut del = redis::cmd("DEL");
        let deleted: u32 =
            del.arg(self.cache.redis_key(key)).query_async(&mut connection).await.unwrap();
        assert_eq!(deleted, 1);
    }

    /// Nothing is left: no flight record here, no lease there.
    pub(crate) async fn is_idle(&self) {
        eventually("the last flight record leaves", || self.cache.flights() == 0).await;
        let Some(server) = &self.server else { return };
        let mut connection = server.connection().await;
        let leftovers = async {
            loop {
                let keys: Vec<String> = redis::cmd("KEYS")
                    .arg("*:lease")
                    .query_async(&mut connection)
                    .await
                    .expect("KEYS");
                if keys.is_empty() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        within(leftovers).await;
    }
}

/// A cache whose store is nowhere.
pub(crate) fn cut_off() -> Cache {
    let store = RedisStore::connect("redis://127.0.0.1:1").expect("a good URL");
    Cache::builder().store(store).io_budget(Duration::from_millis(20)).build()
}

/// A cache on this server. The budget is generous: two cores are shared with the test itself.
pub(crate) fn cache_on(server: &Server) -> Cache {
    let store = RedisStore::connect(server.url()).expect("a good URL");
    Cache::builder().store(store).namespace("test").io_budget(Duration::from_secs(5)).build()
}
