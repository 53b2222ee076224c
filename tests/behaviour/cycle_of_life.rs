//! What a hit costs, and that nothing stays behind.

use std::sync::Arc;
use std::time::Duration;

use herdless::{Cache, Event, cached, with_cache};

use crate::backend::{Backend, World, within_span};
use crate::server::Server;

#[cached(ttl = 600, skip(backend))]
async fn row(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = backend;
    id * 2
}

async fn calls(server: &Server, command: &str) -> u64 {
    let mut connection = server.connection().await;
    let stats: String =
        redis::cmd("INFO").arg("commandstats").query_async(&mut connection).await.unwrap();
    let line = format!("cmdstat_{command}:calls=");
    let count =
        stats.lines().find_map(|text| text.strip_prefix(&line)?.split(',').next()?.parse().ok());
    count.unwrap_or(0)
}

#[tokio::test]
async fn a_thousand_hits_are_a_thousand_reads_and_nothing_else() {
    let world = World::redis();
    let server = world.server.as_ref().unwrap();
    let backend = Backend::open();
    world.run(row(Arc::clone(&backend), 1)).await;
    let count = async || {
        let mut counts = Vec::new();
        for command in ["hget", "eval", "evalsha", "set", "hset"] {
            counts.push(calls(server, command).await);
        }
        counts
    };
    let before = count().await;
    for _ in 0..1000 {
        assert_eq!(world.run(row(Arc::clone(&backend), 1)).await, 2);
    }
    let after = count().await;
    let more: Vec<u64> = before.iter().zip(&after).map(|(before, after)| after - before).collect();
    assert_eq!(more, [1000, 0, 0, 0, 0]);
}

async fn all_of(world: &World, keys: u32) {
    let backend = Backend::open();
    let tasks = 64;
    let mut crowd = tokio::task::JoinSet::new();
    for task in 0..tasks {
        let backend = Arc::clone(&backend);
        crowd.spawn(with_cache(world.cache.clone(), async move {
            for id in (task..keys).step_by(tasks as usize) {
                assert_eq!(row(Arc::clone(&backend), id).await, id * 2);
            }
        }));
    }
    within_span(Duration::from_secs(600), crowd.join_all()).await;
    assert_eq!(world.cache.count(Event::Load), u64::from(keys), "{}", world.name);
    assert_eq!(world.cache.flights(), 0, "{}", world.name);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_million_keys_in_memory_leave_no_flight_and_keep_the_bound() {
    let world =
        World { name: "embedded", cache: Cache::builder().capacity(5000).build(), server: None };
    all_of(&world, 1_000_000).await;
    assert!(world.cache.kept() <= 5000, "{} kept", world.cache.kept());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_keys_over_redis_leave_no_flight() {
    all_of(&World::redis(), 100_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_in_waves_never_has_two_loaders() {
    let world = World::embedded();
    for wave in 0..50 {
        let backend = Backend::closed();
        let mut crowd = world.crowd(1000, || gated(Arc::clone(&backend), wave));
        backend.started(1).await;
        for _ in 0..200 {
            let aborted =
                crowd.spawn(with_cache(world.cache.clone(), gated(Arc::clone(&backend), wave)));
            aborted.abort();
        }
        backend.open_gate();
        while let Some(value) = crowd.join_next().await {
            assert!(value.is_err() || value.unwrap() == 1);
        }
        assert_eq!((backend.loads(), backend.most_at_once()), (1, 1), "wave {wave}");
    }
    assert_eq!(world.cache.flights(), 0);
}

#[cached(ttl = 600, skip(backend))]
async fn gated(backend: Arc<Backend>, wave: u32) -> u32 {
    let _ = wave;
    backend.load().await
}

#[tokio::test]
async fn one_hung_loader_does_not_hold_up_other_keys() {
    let world = World::embedded();
    let hung = Backend::closed();
    let stuck = world.spawn(gated(Arc::clone(&hung), 0));
    hung.started(1).await;
    let backend = Backend::open();
    let mut ids = 1..512;
    let crowd = world.crowd(511, || gated(Arc::clone(&backend), ids.next().unwrap()));
    assert_eq!(within_span(Duration::from_secs(20), crowd.join_all()).await.len(), 511);
    stuck.abort();
}
