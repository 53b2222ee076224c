//! One installed store, several runtimes: what `#[tokio::test]` does to a static. A process of its
//! own, since a default cache is installed once.

#[path = "support/server.rs"]
mod server;

use std::sync::{Mutex, OnceLock};

use herdless::{Cache, ErrorKind, Event, RedisStore, cached};
use server::Server;

#[cached(ttl = 300)]
async fn double(n: u32) -> u32 {
    n * 2
}

/// The server and the cache, installed by whichever test comes first.
fn installed() -> &'static Cache {
    static INSTALLED: OnceLock<(Mutex<Server>, Cache)> = OnceLock::new();
    let (_, cache) = INSTALLED.get_or_init(|| {
        let server = Server::start();
        let store = RedisStore::connect(server.url()).unwrap();
        let cache = Cache::builder().store(store).namespace("installed").build();
        herdless::install(cache.clone()).unwrap();
        (Mutex::new(server), cache)
    });
    cache
}

/// Tests run at once; what they count is one cache's.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn hits_redis(n: u32) {
    let cache = installed();
    let _alone = ALONE.lock().await;
    let (hits, troubles) = (cache.count(Event::Hit), cache.count(Event::StoreTrouble));
    assert_eq!((double(n).await, double(n).await), (n * 2, n * 2));
    assert_eq!(cache.count(Event::Hit), hits + 1);
    assert_eq!(cache.count(Event::StoreTrouble), troubles, "every command was answered");
    assert_eq!(cache.kept(), 0, "the value is in Redis");
}

#[tokio::test]
async fn the_first_runtime_hits_redis() {
    hits_redis(1).await;
}

#[tokio::test]
async fn the_second_runtime_hits_redis() {
    hits_redis(2).await;
}

#[tokio::test]
async fn the_third_runtime_hits_redis() {
    hits_redis(3).await;
}

#[test]
fn a_second_install_is_an_error_that_names_the_first() {
    installed();
    let error = herdless::install(Cache::disabled()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("installed.rs:"), "{error}");
}
