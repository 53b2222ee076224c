//! A store that is read, and takes no writes: callers get values, and no herd gets through.

use std::sync::Arc;

use herdless::{Cache, ErrorKind, Event, Kind, with_cache};

use crate::backend::{Backend, cache_on, within};
use crate::outage::{ask, builder, row, until_it_is_back, until_it_is_skipped};
use crate::server::Server;
use crate::trouble::{raw, restricted};

/// The value of a key that was stored before, again and again: each of them a hit.
async fn hits(cache: &Cache, backend: &Arc<Backend>) {
    for _ in 0..20 {
        let (value, how) = ask(cache, backend, 1).await;
        assert_eq!((value, how.kind, how.degraded), (1, Kind::Hit, false));
    }
}

/// Calls one after the other for a key that cannot be stored: one load.
async fn loads_once(cache: &Cache, backend: &Arc<Backend>, id: u32) {
    let loads = backend.loads();
    for _ in 0..20 {
        assert_eq!(ask(cache, backend, id).await.0, loads + 1);
    }
    assert_eq!(backend.loads(), loads + 1, "a copy is kept in the process");
}

#[tokio::test]
async fn an_account_that_may_only_read_is_served_what_there_is() {
    let server = Server::start();
    let backend = Backend::open();
    ask(&cache_on(&server), &backend, 1).await;
    let (cache, mut redis) = restricted(&server, "%R~{test:* &* +@all").await;
    hits(&cache, &backend).await;
    loads_once(&cache, &backend, 2).await;
    until_it_is_skipped(&cache, &backend).await;
    hits(&cache, &backend).await;
    loads_once(&cache, &backend, 3).await;
    assert_eq!(cache.count(Event::BreakerOpened), 1, "that loads cannot begin is found out once");
    raw::<()>(&mut redis, "ACL SETUSER app ~{test:*").await;
    until_it_is_back(&cache).await;
    assert!(!ask(&cache, &backend, 4).await.1.degraded);
    assert_eq!(ask(&cache, &backend, 4).await.1.kind, Kind::Hit);
}

/// Who writes is held, and with it all that its connection asks after that.
#[tokio::test]
async fn a_server_whose_writes_are_paused_is_as_one_that_is_silent() {
    let server = Server::start();
    let (backend, cache) = (Backend::open(), builder(server.url()).build());
    ask(&cache, &backend, 1).await;
    let mut redis = server.connection().await;
    raw::<()>(&mut redis, "CLIENT PAUSE 1000000 WRITE").await;
    until_it_is_skipped(&cache, &backend).await;
    loads_once(&cache, &backend, 3).await;
    raw::<()>(&mut redis, "CLIENT UNPAUSE").await;
    until_it_is_back(&cache).await;
    hits(&cache, &backend).await;
    assert_eq!(ask(&cache, &backend, 4).await.1.kind, Kind::Computed);
    assert_eq!(ask(&cache, &backend, 4).await.1.kind, Kind::Hit);
}

/// Loads begin, and none can be stored. The copy counts as what was stored: until the key changes.
#[tokio::test]
async fn where_only_the_commit_is_refused_a_copy_serves_until_the_key_changes() {
    let server = Server::start();
    let backend = Backend::open();
    let (cache, _) = restricted(&server, "~{test:* &* +@all -hset").await;
    loads_once(&cache, &backend, 2).await;
    assert!(cache.errors(ErrorKind::Denied) > 0 && !cache.is_degraded());
    let elsewhere = cache_on(&server);
    let call = row(Arc::clone(&backend), 2);
    with_cache(elsewhere, within(call.invalidate())).await.unwrap();
    let loads = backend.loads();
    assert_eq!(ask(&cache, &backend, 2).await.0, loads + 1, "not what the invalidation removed");
    for _ in 0..20 {
        assert_eq!(ask(&cache, &backend, 2).await.0, loads + 1);
    }
}
