//! Entries that cannot be read, codecs, and a store that is not there.

use std::sync::Arc;

use herdless::{Cache, Event, Kind, Miss, RedisStore, cached, with_cache};

use crate::backend::{Backend, World, settle, within};
use crate::unheard::row;

#[tokio::test]
async fn what_cannot_be_read_is_loaded_over_and_counted() {
    let world = World::redis();
    let backend = Backend::open();
    let call = || row(Arc::clone(&backend), 8);
    assert_eq!(world.run(call()).await, 1);
    let mut redis = world.server.as_ref().unwrap().connection().await;
    let key = world.cache.redis_key(call().key());
    let fields: Vec<(Vec<u8>, Vec<u8>)> =
        redis::cmd("HGETALL").arg(&key).query_async(&mut redis).await.unwrap();
    let [(field, entry)] = &fields[..] else { panic!("one field: {fields:?}") };
    assert_eq!(entry[5], herdless::Codec::DEFAULT.id());
    let mut edited = entry.clone();
    *edited.last_mut().unwrap() ^= 1;
    let edit = redis::cmd("HSET").arg(&key).arg(field).arg(&edited[..]).clone();
    edit.query_async::<()>(&mut redis).await.unwrap();
    assert_eq!(world.run(call()).await, 2);
    assert_eq!(world.run(call().with_outcome()).await.1.kind, Kind::Hit);
    assert!(world.cache.count(Event::MissCorrupt) >= 1);
    world.is_idle().await;
}

#[cached(ttl = 60, codec = "json", skip(backend))]
async fn in_json(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn a_function_chooses_its_codec() {
    let world = World::redis();
    let call = in_json(Backend::open(), 1);
    let key = world.cache.redis_key(call.key());
    assert_eq!(world.run(call).await, 1);
    let mut redis = world.server.as_ref().unwrap().connection().await;
    let entries: Vec<Vec<u8>> =
        redis::cmd("HVALS").arg(&key).query_async(&mut redis).await.unwrap();
    assert_eq!((entries.len(), entries[0][5]), (1, herdless::Codec::Json.id()));
    assert!(entries[0].ends_with(b"1"));
}

#[tokio::test]
async fn a_foreign_type_under_our_key_gives_way() {
    let world = World::redis();
    let backend = Backend::open();
    let call = || row(Arc::clone(&backend), 9);
    let mut redis = world.server.as_ref().unwrap().connection().await;
    let key = world.cache.redis_key(call().key());
    redis::cmd("SET").arg(&key).arg("foreign").query_async::<()>(&mut redis).await.unwrap();
    let (value, how) = world.run(call().with_outcome()).await;
    assert_eq!((value, how.degraded, how.miss), (1, false, Some(Miss::Corrupt)));
    assert_eq!(world.run(call().with_outcome()).await.1.kind, Kind::Hit);
    redis::cmd("SET").arg(&key).arg("foreign").query_async::<()>(&mut redis).await.unwrap();
    world.run(call().prime(70)).await.unwrap();
    assert_eq!(world.run(call()).await, 70);
    redis::cmd("SET").arg(&key).arg("foreign").query_async::<()>(&mut redis).await.unwrap();
    world.run(call().expire()).await.unwrap();
    assert_eq!(world.run(call()).await, 2);
}

#[tokio::test]
async fn an_absent_store_costs_nothing_but_the_cache() {
    let cache = {
        let store = RedisStore::connect("redis://127.0.0.1:1").unwrap();
        Cache::builder().store(store).build()
    };
    let backend = Backend::closed();
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let call = row(Arc::clone(&backend), 4).with_outcome();
        crowd.spawn(with_cache(cache.clone(), call));
    }
    backend.started(1).await;
    settle().await;
    backend.open_gate();
    let answers = within(crowd.join_all()).await;
    assert!(answers.iter().all(|(value, how)| *value == 1 && how.degraded), "{answers:?}");
    assert_eq!(backend.loads(), 1, "the callers of one process still share one load");
    let change = with_cache(cache, within(row(backend, 4).invalidate())).await;
    assert!(change.unwrap_err().is_transient());
}
