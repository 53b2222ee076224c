//! What a person on call reads: each kind of trouble once a minute, with what to do about it.

use std::sync::Arc;

use herdless::{Cache, ErrorKind, cached, with_cache};
use tracing::level_filters::LevelFilter;

use crate::backend::{Backend, World, within};
use crate::log::Log;
use crate::outage::{ask, row};

#[cached(ttl = 60)]
async fn large(id: u32) -> Vec<u32> {
    vec![id; 1000]
}

/// How many lines name this kind, all of them with advice.
fn lines_about(log: &Log, kind: ErrorKind) -> usize {
    let lines = log.lines();
    let about = lines.iter().filter(|line| line.contains(&format!("kind={kind:?}")));
    about.inspect(|line| assert!(line.contains("advice="), "{line}")).count()
}

/// It was counted each time, and told once.
fn told(cache: &Cache, kind: ErrorKind, log: &Log) {
    assert!(cache.errors(kind) >= 3, "{kind:?} is counted: {}", cache.errors(kind));
    assert_eq!(lines_about(log, kind), 1, "{:?}", log.lines());
}

#[tokio::test]
async fn each_kind_of_trouble_is_counted_and_told_once_with_what_to_do() {
    let world = World::redis();
    let log = Log::of(LevelFilter::WARN);
    let _guard = tracing::subscriber::set_default(log.clone());
    let server = world.server.as_ref().unwrap();
    let mut redis = server.connection().await;
    let backend = Backend::open();

    let store = herdless::RedisStore::connect(server.url()).unwrap();
    let small = Cache::builder().store(store).namespace("test").max_value_bytes(100).build();
    for id in 0..3 {
        assert_eq!(with_cache(small.clone(), within(large(id))).await.len(), 1000);
    }
    told(&small, ErrorKind::TooLarge, &log);

    let key = world.cache.redis_key(row(Arc::clone(&backend), 1).key());
    for _ in 0..3 {
        ask(&world.cache, &backend, 1).await;
        redis::cmd("DEL").arg(&key).query_async::<()>(&mut redis).await.unwrap();
        redis::cmd("SET").arg(&key).arg("foreign").query_async::<()>(&mut redis).await.unwrap();
        ask(&world.cache, &backend, 1).await;
    }
    told(&world.cache, ErrorKind::WrongType, &log);

    for (byte, kind) in [(111, ErrorKind::Corrupt), (4, ErrorKind::Shape)] {
        for _ in 0..3 {
            ask(&world.cache, &backend, 2).await;
            let key = world.cache.redis_key(row(Arc::clone(&backend), 2).key());
            let fields: Vec<(Vec<u8>, Vec<u8>)> =
                redis::cmd("HGETALL").arg(&key).query_async(&mut redis).await.unwrap();
            let (field, mut entry) = fields.into_iter().next().unwrap();
            entry[byte] ^= 1;
            redis::cmd("HSET")
                .arg(&key)
                .arg(field)
                .arg(entry)
                .query_async::<()>(&mut redis)
                .await
                .unwrap();
            ask(&world.cache, &backend, 2).await;
        }
        told(&world.cache, kind, &log);
    }

    redis::cmd("REPLICAOF").arg("127.0.0.1").arg("1").query_async::<()>(&mut redis).await.unwrap();
    for id in 10..13 {
        ask(&world.cache, &backend, id).await;
    }
    told(&world.cache, ErrorKind::ReadOnly, &log);
    redis::cmd("REPLICAOF").arg("NO").arg("ONE").query_async::<()>(&mut redis).await.unwrap();
}
