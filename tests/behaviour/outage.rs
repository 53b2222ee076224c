//! The store goes away, and comes back.

use std::sync::Arc;
use std::time::Duration;

use herdless::{
    Cache, CacheBuilder, ErrorKind, Event, Kind, Outcome, RedisStore, cached, with_cache,
};

use crate::backend::{Backend, World, cache_on, eventually, within};
use crate::proxy::{Proxy, Replies};
use crate::server::Server;

#[cached(ttl = 60, skip(backend))]
pub(crate) async fn row(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), strategy = "jitter", jitter = 1, reason = "a test")]
async fn cheap(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

/// As it is in production: a short budget.
pub(crate) fn builder(url: String) -> CacheBuilder {
    let store = RedisStore::connect(url).expect("a good URL");
    Cache::builder().store(store).namespace("test")
}

pub(crate) async fn ask(cache: &Cache, backend: &Arc<Backend>, id: u32) -> (u32, Outcome) {
    let call = row(Arc::clone(backend), id).with_outcome();
    with_cache(cache.clone(), within(call)).await
}

/// Calls of keys nobody has asked for yet, until the breaker opens. How many it took.
pub(crate) async fn until_it_is_skipped(cache: &Cache, backend: &Arc<Backend>) -> u32 {
    let mut calls = 0;
    while !cache.is_degraded() {
        calls += 1;
        assert!(calls < 20, "the breaker stays closed");
        ask(cache, backend, 1_000_000 + calls).await;
    }
    calls
}

pub(crate) async fn until_it_is_back(cache: &Cache) {
    eventually("the store is asked again", || !cache.is_degraded()).await;
}

fn url(world: &World) -> String {
    world.server.as_ref().expect("it has one").url()
}

#[tokio::test]
async fn a_store_that_is_silent_is_skipped_until_it_answers() {
    let server = Server::start();
    let proxy = Proxy::before(server.port());
    let cache = builder(proxy.url()).build();
    let backend = Backend::open();
    assert_eq!(ask(&cache, &backend, 1).await.1.kind, Kind::Computed);
    proxy.set(Replies::Lost);

    let calls = until_it_is_skipped(&cache, &backend).await;
    assert!(calls <= 3, "three failures in a row open it, a call may have two: {calls}");
    let loads = backend.loads();
    let asked = || {
        let probes = proxy.heard("\r\n0000000000000000\r\n");
        proxy.heard("EVAL") + proxy.heard("HGET") + proxy.heard("SUBSCRIBE") - probes
    };
    let before = asked();
    for id in (1..=10).cycle().take(200) {
        let (_, how) = ask(&cache, &backend, id).await;
        assert!(how.degraded, "{how:?}");
    }
    assert_eq!(backend.loads() - loads, 10, "each key once");
    assert_eq!(asked(), before, "not one question of a caller's");
    assert!(cache.count(Event::StoreSkipped) >= 200);
    assert_eq!(cache.count(Event::BreakerOpened), 1);
    assert!(cache.errors(ErrorKind::Timeout) >= 2, "{}", cache.errors(ErrorKind::Timeout));

    proxy.set(Replies::Pass);
    until_it_is_back(&cache).await;
    let (value, how) = ask(&cache, &backend, 1).await;
    assert_eq!((value, how.kind, how.degraded), (1, Kind::Hit, false), "the stored value, no copy");
    assert_eq!(ask(&cache, &backend, 2).await.1.kind, Kind::Computed, "copies are not stored");
    assert_eq!(ask(&cache, &backend, 2).await.1.kind, Kind::Hit);
}

#[tokio::test]
async fn a_crowd_whose_store_dies_loads_each_key_once() {
    let mut server = Server::start();
    let cache = builder(server.url()).build();
    let backend = Backend::open();
    ask(&cache, &backend, 1).await;
    server.kill();
    let loads = backend.loads();
    let mut crowd = tokio::task::JoinSet::new();
    for caller in 0..100 {
        let call = row(Arc::clone(&backend), caller % 4);
        crowd.spawn(with_cache(cache.clone(), call));
    }
    within(crowd.join_all()).await;
    assert_eq!(backend.loads() - loads, 4);

    server.restart();
    until_it_is_back(&cache).await;
    assert!(!ask(&cache, &backend, 50).await.1.degraded);
    assert!(!ask(&cache, &backend, 50).await.1.degraded);
}

#[tokio::test]
async fn a_program_starts_without_its_store_and_finds_it() {
    let mut server = Server::start();
    server.kill();
    let cache = builder(server.url()).build();
    let backend = Backend::open();
    for _ in 0..20 {
        let (value, how) = ask(&cache, &backend, 1).await;
        assert!(value == 1 && how.degraded, "{value} {how:?}");
    }
    assert_eq!(backend.loads(), 1);
    until_it_is_skipped(&cache, &backend).await;
    server.restart();
    until_it_is_back(&cache).await;
    assert!(!ask(&cache, &backend, 2).await.1.degraded);
    assert_eq!(
        ask(&cache_on(&server), &backend, 2).await.1.kind,
        Kind::Hit,
        "others find it there"
    );
}

#[tokio::test]
async fn an_invalidation_that_the_store_did_not_hear_is_sent_when_it_is_back() {
    let world = World::redis();
    let cache = builder(url(&world)).build();
    let backend = Backend::open();
    for id in 1..=3 {
        ask(&cache, &backend, id).await;
    }
    world.server.as_ref().unwrap().pause();
    let change = |id| with_cache(cache.clone(), row(Arc::clone(&backend), id).invalidate());
    for id in [1, 1, 2] {
        let refused = within(change(id)).await.unwrap_err();
        assert!(refused.is_transient(), "{refused}");
    }
    assert!(cache.is_degraded(), "what the store says of these keys is out of date");
    assert_eq!(cache.count(Event::InvalidationQueued), 3);
    world.server.as_ref().unwrap().resume();
    until_it_is_back(&cache).await;
    assert!((2..=3).contains(&cache.count(Event::InvalidationSent)));
    let elsewhere = cache_on(world.server.as_ref().unwrap());
    for (id, is_there) in [(1, false), (2, false), (3, true)] {
        let peek = with_cache(elsewhere.clone(), row(Arc::clone(&backend), id).peek());
        assert_eq!(within(peek).await.unwrap().is_some(), is_there, "{id}");
    }
}

#[tokio::test]
async fn expire_and_prime_are_made_good_for_as_invalidations() {
    let world = World::redis();
    let cache = builder(url(&world)).build();
    let backend = Backend::open();
    for id in 1..=2 {
        ask(&cache, &backend, id).await;
    }
    world.server.as_ref().unwrap().pause();
    let call = |id| row(Arc::clone(&backend), id);
    with_cache(cache.clone(), within(call(1).expire())).await.unwrap_err();
    with_cache(cache.clone(), within(call(2).prime(99))).await.unwrap_err();
    world.server.as_ref().unwrap().resume();
    until_it_is_back(&cache).await;
    let elsewhere = cache_on(world.server.as_ref().unwrap());
    for id in 1..=2 {
        let there = with_cache(elsewhere.clone(), within(call(id).peek())).await.unwrap();
        assert_eq!(there, None, "{id}");
    }
}

#[tokio::test]
async fn a_copy_is_gone_once_its_key_is_invalidated() {
    let mut server = Server::start();
    server.kill();
    let cache = builder(server.url()).build();
    let backend = Backend::open();
    assert_eq!(ask(&cache, &backend, 1).await.0, 1);
    assert_eq!(ask(&cache, &backend, 1).await.0, 1);
    let change = with_cache(cache.clone(), row(Arc::clone(&backend), 1).invalidate());
    within(change).await.unwrap_err();
    assert_eq!(ask(&cache, &backend, 1).await.0, 2);

    // Nor does a load that ran meanwhile leave one.
    let backend = Backend::closed();
    let call = with_cache(cache.clone(), row(Arc::clone(&backend), 2));
    let running = tokio::spawn(call);
    backend.started(1).await;
    let change = with_cache(cache.clone(), row(Arc::clone(&backend), 2).invalidate());
    within(change).await.unwrap_err();
    backend.open_gate();
    assert_eq!(within(running).await.unwrap(), 1, "who came before may have it");
    assert_eq!(ask(&cache, &backend, 2).await.0, 2);
}

#[tokio::test]
async fn a_copy_lives_no_longer_than_fallback_ttl() {
    let mut server = Server::start();
    server.kill();
    let cache = builder(server.url()).fallback_ttl(Duration::from_millis(50)).build();
    let backend = Backend::open();
    for loads in 1..=3 {
        while backend.loads() < loads {
            ask(&cache, &backend, 1).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    let none = builder(server.url()).fallback_ttl(Duration::ZERO).build();
    let before = backend.loads();
    for _ in 0..3 {
        ask(&none, &backend, 1).await;
    }
    assert_eq!(backend.loads() - before, 3);
}

#[tokio::test]
async fn a_cheap_value_has_a_copy_too() {
    let mut server = Server::start();
    server.kill();
    let cache = builder(server.url()).build();
    let backend = Backend::open();
    for _ in 0..10 {
        with_cache(cache.clone(), within(cheap(Arc::clone(&backend), 1))).await;
    }
    assert_eq!(backend.loads(), 1);
}

/// The task that waits for the store ends with its runtime; the next caller starts another one.
#[test]
fn the_store_is_found_again_on_another_runtime() {
    let mut server = Server::start();
    let cache = builder(server.url()).build();
    let backend = Backend::open();
    let runtime =
        || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    server.kill();
    runtime().block_on(until_it_is_skipped(&cache, &backend));
    server.restart();
    runtime().block_on(async {
        assert!(ask(&cache, &backend, 1).await.1.degraded);
        until_it_is_back(&cache).await;
        assert!(!ask(&cache, &backend, 2).await.1.degraded);
    });
}

#[tokio::test]
async fn an_invalidation_whose_caller_left_is_made_good_for() {
    let server = Server::start();
    let proxy = Proxy::before(server.port());
    let cache = builder(proxy.url()).io_budget(Duration::from_secs(20)).build();
    let backend = Backend::open();
    assert_eq!(ask(&cache, &backend, 1).await.0, 1);
    let before = proxy.heard("EVAL");
    proxy.set(Replies::Held);
    let invalidation = row(Arc::clone(&backend), 1).invalidate();
    let caller = tokio::spawn(with_cache(cache.clone(), invalidation));
    eventually("it is on its way", || proxy.heard("EVAL") > before).await;
    caller.abort();
    eventually("it is remembered", || cache.count(Event::InvalidationQueued) == 1).await;
    proxy.set(Replies::Pass);
    eventually("it is sent once more", || cache.count(Event::InvalidationSent) == 1).await;
    assert_eq!(ask(&cache, &backend, 1).await.0, 2);
    assert_eq!(cache.count(Event::BreakerOpened), 0, "other keys are asked for throughout");
}

/// Until the store has heard of it, it is not asked for that key; all others are served.
#[tokio::test]
async fn an_invalidation_that_cannot_be_sent_costs_other_keys_nothing() {
    let server = Server::start();
    let (backend, cache) = (Backend::open(), builder(server.url()).build());
    ask(&cache, &backend, 1).await;
    ask(&cache, &backend, 2).await;
    let mut redis = server.connection().await;
    // A replica of nobody: it serves what it has, and takes no writes.
    redis::cmd("REPLICAOF").arg("127.0.0.1").arg("1").query_async::<()>(&mut redis).await.unwrap();
    let invalidation = row(Arc::clone(&backend), 1).invalidate();
    let refused = with_cache(cache.clone(), within(invalidation)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ReadOnly);
    for _ in 0..20 {
        let (value, how) = ask(&cache, &backend, 2).await;
        assert_eq!((value, how.kind, how.degraded), (2, Kind::Hit, false));
        assert_eq!(ask(&cache, &backend, 1).await.0, 3, "never what was to be removed");
    }
    assert_eq!((backend.loads(), cache.count(Event::BreakerOpened)), (3, 0));
    redis::cmd("REPLICAOF").arg("NO").arg("ONE").query_async::<()>(&mut redis).await.unwrap();
    until_it_is_back(&cache).await;
    assert_eq!(cache.count(Event::InvalidationSent), 1);
    assert_eq!(ask(&cache, &backend, 1).await.0, 4);
}
