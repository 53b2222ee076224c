//! Functions that call themselves, under a cap of one load at a time.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use herdless::{Event, cached};

use crate::backend::{Backend, World, settle, within, within_span};

#[cached(ttl = 60, concurrency = 1, skip(backend))]
async fn down(backend: Arc<Backend>, id: u32) -> u32 {
    let below = if id == 0 { 0 } else { Box::pin(down(Arc::clone(&backend), id - 1)).await };
    backend.load().await;
    below + id
}

#[cached(ttl = 60, concurrency = 1, skip(backend))]
async fn there(backend: Arc<Backend>, id: u32) -> u32 {
    let below = if id == 0 { 0 } else { Box::pin(back(Arc::clone(&backend), id)).await };
    backend.load().await;
    below + id
}

#[cached(ttl = 60, concurrency = 1, skip(backend))]
async fn back(backend: Arc<Backend>, id: u32) -> u32 {
    Box::pin(there(backend, id - 1)).await
}

#[tokio::test]
async fn a_load_inside_a_load_runs_on_the_outer_ones_permit() {
    for world in World::all() {
        let backend = Backend::open();
        assert_eq!(world.run(down(Arc::clone(&backend), 5)).await, 15, "{}", world.name);
        assert_eq!(world.run(there(Arc::clone(&backend), 5)).await, 15, "{}", world.name);
        assert_eq!((backend.loads(), backend.most_at_once()), (12, 1), "{}", world.name);
        world.is_idle().await;
    }
}

/// Whoever holds the seat of a key and waits for a permit, waits for a load that may need that key.
#[tokio::test]
async fn a_load_inside_a_load_does_not_wait_for_who_waits_for_its_permit() {
    for world in World::all() {
        let backend = Backend::closed();
        let first = world.spawn(top(Arc::clone(&backend), 3));
        backend.started(1).await; // with the permit, before it calls anything
        let queued = world.crowd(3, || top(Arc::clone(&backend), 2));
        let more = world.crowd(3, || top(Arc::clone(&backend), 1));
        settle().await;
        if world.server.is_some() {
            tokio::time::sleep(Duration::from_millis(100)).await; // they look into the store first
        }
        backend.open_gate();
        // Far below the 30 s after which a waiter takes over.
        let value = within_span(Duration::from_secs(10), first).await.unwrap();
        assert_eq!(value, 6, "{}", world.name);
        assert_eq!(within(queued.join_all()).await, [3; 3], "{}", world.name);
        assert_eq!(within(more.join_all()).await, [1; 3], "{}", world.name);
        assert_eq!(backend.loads(), 4, "{}: each key once", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, concurrency = 1, skip(backend))]
async fn top(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    if id == 0 { 0 } else { id + Box::pin(top(backend, id - 1)).await }
}

/// A crowd that comes from all sides at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_recursive_calls_ends() {
    for world in World::all() {
        let backend = Backend::open();
        let mut ids = (0..48).map(|number| number % 12);
        let crowd = world.crowd(48, || crowd(Arc::clone(&backend), ids.next().unwrap()));
        within(crowd.join_all()).await;
        assert!(backend.loads() >= 12, "{}", world.name);
        assert_eq!(backend.most_at_once(), 1, "{}", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, concurrency = 1, skip(backend))]
async fn crowd(backend: Arc<Backend>, id: u32) -> u32 {
    let below = if id == 0 { 0 } else { Box::pin(crowd(Arc::clone(&backend), id - 1)).await };
    backend.load().await;
    below + id
}

#[cached(ttl = 60, concurrency = 1, wait = "200ms", skip(backend))]
async fn left(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    if id == 0 { 0 } else { id + Box::pin(right(backend, id - 1)).await }
}

#[cached(ttl = 60, concurrency = 1, wait = "200ms", skip(backend))]
async fn right(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    if id == 0 { 0 } else { id + Box::pin(left(backend, id - 1)).await }
}

/// Each holds the one permit that the other waits for.
#[tokio::test]
async fn loads_of_two_functions_that_wait_for_each_other_end() {
    for world in World::all() {
        let backend = Backend::closed();
        let one = world.spawn(left(Arc::clone(&backend), 5));
        let two = world.spawn(right(Arc::clone(&backend), 8));
        backend.started(2).await;
        backend.open_gate();
        assert_eq!(within(one).await.unwrap(), 15, "{}", world.name);
        assert_eq!(within(two).await.unwrap(), 36, "{}", world.name);
        assert!(world.cache.count(Event::CapExceeded) >= 1, "{}", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, concurrency = 1, wait = "200ms", skip(backend))]
async fn spawns(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    if id == 0 { 0 } else { id + tokio::spawn(below(backend, id)).await.unwrap() }
}

/// The compiler cannot tell in a body whether that body is `Send`.
fn below(backend: Arc<Backend>, id: u32) -> Pin<Box<dyn Future<Output = u32> + Send>> {
    Box::pin(spawns(backend, id - 1))
}

/// A task of its own cannot know whose permit it could run on.
#[tokio::test]
async fn a_load_that_spawns_its_own_function_and_waits_for_it_ends() {
    let backend = Backend::open();
    // In the default cache: a task that the body spawns does not see the cache of its scope.
    let sum = within(tokio::spawn(spawns(Arc::clone(&backend), 2))).await.unwrap();
    assert_eq!((sum, backend.loads()), (3, 3));
}
