//! Many keys invalidated in one call.

use std::sync::Arc;
use std::time::Duration;

use herdless::{Cache, ErrorKind, Event, Key, RedisStore, cached, with_cache};
use serde::Serialize;

use crate::backend::{Backend, World, cache_on, eventually, settle, within, within_span};
use crate::server::Server;

const KEYS: u32 = 5000;

#[cached(ttl = 60, skip(backend))]
async fn row(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

/// Loads rows 0 to `KEYS`, one more than is invalidated.
async fn load_all(world: &World, backend: &Arc<Backend>) {
    for ids in (0..=KEYS).collect::<Vec<_>>().chunks(500) {
        let mut ids = ids.iter();
        let crowd = world.crowd(ids.len(), || row(Arc::clone(backend), *ids.next().unwrap()));
        within(crowd.join_all()).await;
    }
}

#[tokio::test]
async fn five_thousand_keys_go_at_once_and_no_other() {
    for world in World::all() {
        let backend = Backend::open();
        load_all(&world, &backend).await;
        assert_eq!(backend.loads(), KEYS + 1);
        let calls = (0..KEYS).map(|id| row(Arc::clone(&backend), id));
        within_span(Duration::from_secs(60), world.cache.invalidate_many(calls)).await.unwrap();
        load_all(&world, &backend).await;
        assert_eq!(backend.loads(), 2 * KEYS + 1, "{}: the last one stayed", world.name);
    }
}

#[tokio::test]
async fn loads_of_all_of_them_are_refused_and_who_comes_after_does_not_join() {
    for world in World::all() {
        let backend = Backend::closed();
        let before = world.crowd(1, || row(Arc::clone(&backend), 1));
        let other = world.crowd(1, || row(Arc::clone(&backend), 2));
        backend.started(2).await;
        let calls = [1, 2, 3].map(|id| row(Arc::clone(&backend), id));
        within(world.elsewhere().invalidate_many(calls)).await.unwrap();
        let after = world.crowd(1, || row(Arc::clone(&backend), 1));
        settle().await;
        backend.open_gate();
        within(before.join_all()).await;
        within(other.join_all()).await;
        assert_eq!(within(after.join_all()).await, [3], "{}", world.name);
        assert_eq!(world.cache.count(Event::Superseded), 2, "{}", world.name);
        world.is_idle().await;
    }
}

/// As it is in production: a short budget.
fn short_of_time(server: &Server) -> Cache {
    let store = RedisStore::connect(server.url()).unwrap();
    Cache::builder().store(store).namespace("test").build()
}

#[tokio::test]
async fn keys_that_the_store_did_not_hear_of_are_counted_in_the_error_and_sent_later() {
    let world = World::redis();
    let server = world.server.as_ref().unwrap();
    let (cache, backend) = (short_of_time(server), Backend::open());
    for id in 0..100 {
        with_cache(cache.clone(), within(row(Arc::clone(&backend), id))).await;
    }
    server.pause();
    let calls = (0..100).map(|id| row(Arc::clone(&backend), id));
    let error = within(cache.invalidate_many(calls)).await.unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert_eq!(error.to_string(), "100 of 100 keys were not invalidated; 100 of them are queued");
    assert_eq!(cache.count(Event::InvalidationQueued), 100);
    server.resume();
    eventually("the store is asked again", || !cache.is_degraded()).await;
    assert_eq!(cache.count(Event::InvalidationSent), 100);
    let elsewhere = cache_on(server);
    for id in 0..100 {
        let peek = with_cache(elsewhere.clone(), row(Arc::clone(&backend), id).peek());
        assert_eq!(within(peek).await.unwrap(), None, "{id}");
    }
}

struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("a test"))
    }
}

#[tokio::test]
async fn one_key_that_cannot_be_invalidated_does_not_keep_the_others() {
    for world in World::all() {
        let backend = Backend::open();
        world.run(row(Arc::clone(&backend), 1)).await;
        let unsound = Key::for_function("row").arg(&Unwritable).finish();
        let keys = [row(Arc::clone(&backend), 1).key().clone(), unsound];
        let error = within(world.cache.invalidate_many(&keys)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Key);
        assert_eq!(error.to_string(), "1 of 2 keys were not invalidated; 0 of them are queued");
        assert_eq!(world.run(row(backend, 1).peek()).await.unwrap(), None, "{}", world.name);
        let none: [&Key; 0] = [];
        within(world.cache.invalidate_many(none)).await.unwrap();
    }
}
