//! Cached functions that call cached functions.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use herdless::{Cache, Event, Kind, cached, with_cache};

use crate::backend::{Backend, World, within};

#[cached(ttl = 60, skip(backend))]
async fn page(backend: Arc<Backend>, id: u32) -> u32 {
    let part = part(Arc::clone(&backend), id).await;
    backend.load().await;
    part + 1
}

#[cached(ttl = 60, skip(backend))]
async fn part(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    id * 10
}

/// Nothing here waits for a thread: one is enough.
#[tokio::test]
async fn a_thousand_pairs_finish_on_one_thread() {
    for world in World::all() {
        let backend = Backend::open();
        let mut ids = 0..;
        let pairs = world.crowd(1000, || page(Arc::clone(&backend), ids.next().unwrap() % 500));
        let sum: u32 = within(pairs.join_all()).await.iter().sum();
        assert_eq!(sum, 2 * (0..500).map(|id| id * 10 + 1).sum::<u32>(), "{}", world.name);
        assert_eq!(backend.loads(), 1000, "{}: two for each key", world.name);
        world.is_idle().await;
    }
}

/// Each pair holds a permit while it calls for its part: the part needs none of its own.
#[tokio::test]
async fn more_pairs_than_the_cache_has_permits_finish() {
    const CAP: usize = 4;
    let cache = Cache::builder().concurrency(CAP).build();
    let backend = Backend::closed();
    let mut pairs = tokio::task::JoinSet::new();
    for id in 0..=CAP as u32 {
        pairs.spawn(with_cache(cache.clone(), page(Arc::clone(&backend), id)));
    }
    backend.started(CAP as u32).await;
    backend.open_gate();
    within(pairs.join_all()).await;
    assert_eq!(backend.loads(), 2 * (CAP as u32 + 1));
    assert!(backend.most_at_once() as usize <= CAP);
    assert_eq!(cache.count(Event::CapExceeded), 0);
    assert_eq!(cache.flights(), 0);
}

#[cached(ttl = 60, skip(backend, rounds))]
async fn even(backend: Arc<Backend>, rounds: Arc<AtomicU32>, id: u32) -> u32 {
    backend.load().await;
    if rounds.fetch_sub(1, Ordering::SeqCst) == 0 {
        return 0;
    }
    1 + Box::pin(odd(backend, rounds, id)).await
}

#[cached(ttl = 60, skip(backend, rounds))]
async fn odd(backend: Arc<Backend>, rounds: Arc<AtomicU32>, id: u32) -> u32 {
    1 + Box::pin(even(backend, rounds, id)).await
}

#[tokio::test]
async fn a_load_that_calls_for_its_own_value_goes_on_without_the_lock() {
    for world in World::all() {
        let backend = Backend::open();
        let rounds = Arc::new(AtomicU32::new(2));
        let call = even(Arc::clone(&backend), Arc::clone(&rounds), 1).with_outcome();
        let (value, how) = world.run(call).await;
        assert_eq!((value, how.kind), (4, Kind::Computed), "{}", world.name);
        assert_eq!(backend.loads(), 3, "{}", world.name);
        assert_eq!(world.cache.count(Event::Cycle), 3, "{}: even, odd, even", world.name);
        let again = even(Arc::clone(&backend), rounds, 1).with_outcome();
        assert_eq!(world.run(again).await.1.kind, Kind::Hit, "{}", world.name);
        world.is_idle().await;
    }
}

static FIRST: AtomicU32 = AtomicU32::new(0);

#[cached(ttl = 60, wait = "200ms")]
async fn roundabout(world: u32) -> u32 {
    if FIRST.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
        return tokio::spawn(around(CACHE.with(Clone::clone), world)).await.unwrap();
    }
    7
}

/// The compiler cannot tell in a body whether that body is `Send`.
fn around(cache: Cache, world: u32) -> Pin<Box<dyn Future<Output = u32> + Send>> {
    Box::pin(with_cache(cache, roundabout(world)))
}

tokio::task_local! {
    static CACHE: Cache;
}

/// A task of its own cannot know whose load it belongs to.
#[tokio::test]
async fn a_cycle_through_a_task_ends_with_the_wait() {
    for (number, world) in (0..).zip(World::all()) {
        let call = CACHE.scope(world.cache.clone(), roundabout(number));
        assert_eq!(world.run(call).await, 7, "{}", world.name);
        assert_eq!(world.cache.count(Event::Takeover), 1, "{}", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, scope = "process", skip(backend))]
async fn in_front(backend: Arc<Backend>, id: u32) -> u32 {
    behind(backend, id).await
}

#[cached(ttl = 60, skip(backend))]
async fn behind(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    id
}

#[tokio::test]
async fn a_cache_in_the_process_stands_before_a_shared_one() {
    for world in World::all() {
        let backend = Backend::open();
        for _ in 0..3 {
            assert_eq!(world.run(in_front(Arc::clone(&backend), 5)).await, 5, "{}", world.name);
        }
        assert_eq!(backend.loads(), 1, "{}", world.name);
        world.is_idle().await;
    }
}
