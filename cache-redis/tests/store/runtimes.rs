use std::future::Future;

use cache_core::ErrorKind;
use cache_core::store::{Committed, Store as _};
use cache_redis::RedisStore;
use tokio::runtime::Builder;

use crate::support::{KEY, MINUTE, SHAPE, Server, begin_anyway, entry, heard, lab};

fn on_a_new_runtime<T>(threads: usize, work: impl Future<Output = T>) -> T {
    let mut runtime = match threads {
        0 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    runtime.worker_threads(threads.max(1)).enable_all().build().unwrap().block_on(work)
}

#[test]
fn a_store_outlives_the_runtimes_it_is_used_on() {
    let server = Server::start();
    let store = RedisStore::connect(server.url()).unwrap();
    for threads in [0, 2, 0] {
        on_a_new_runtime(threads, async {
            assert_eq!(store.read(KEY, SHAPE).await.unwrap(), None);
            let mut subscription = store.subscribe(KEY).await.unwrap();
            let begun = store.begin(KEY, begin_anyway()).await.unwrap();
            store.invalidate(KEY).await.unwrap();
            heard(&mut subscription, "the change").await;
            assert!(begun.time <= store.now());
        });
    }
}

#[test]
fn a_runtime_that_waits_for_anothers_connect_does_it_itself() {
    let server = Server::start();
    let store = RedisStore::connect(server.url()).unwrap();
    server.pause();
    // The first runtime ends while its connect is under way.
    on_a_new_runtime(0, async {
        let _ = tokio::time::timeout(std::time::Duration::from_millis(50), store.read(KEY, SHAPE))
            .await;
    });
    server.resume();
    on_a_new_runtime(0, async { assert_eq!(store.read(KEY, SHAPE).await.unwrap(), None) });
}

#[tokio::test]
async fn a_given_connection_serves_but_cannot_listen() {
    let mut lab = lab().await;
    lab.store = RedisStore::from_connection(lab.server.connection().await);
    lab.store.ready().await.unwrap();
    let load = lab.lead().await;
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    assert_eq!(lab.read().await, Some(bytes));
    let error = lab.store.subscribe(KEY).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_dropped_store_leaves_no_connection() {
    let mut lab = lab().await;
    let store = RedisStore::connect(lab.server.url()).unwrap();
    let subscription = store.subscribe(KEY).await.unwrap();
    drop((store, lab.store));
    lab.store = RedisStore::from_connection(lab.redis.clone());
    let redis = lab.redis.clone();
    crate::support::eventually("one client left", || {
        let mut redis = redis.clone();
        async move {
            let clients: String = crate::support::raw(&mut redis, "CLIENT LIST").await;
            clients.lines().count() == 1
        }
    })
    .await;
    drop(subscription);
}
