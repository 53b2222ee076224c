//! Loads that do not end are taken over, and no span is too long or too short for that.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use herdless::{Event, cached, with_cache};

use crate::backend::{Backend, World, settle, within};
use crate::departures::borrowed;

#[cached(ttl = 60, skip(backend), wait = "300ms")]
async fn impatient(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn a_stuck_load_is_taken_over_once_and_never_replaces_the_newer_one() {
    for world in World::all() {
        let backend = Backend::closed();
        let stuck = world.spawn(impatient(Arc::clone(&backend), 5));
        backend.started(1).await;
        let crowd = world.crowd(19, || impatient(Arc::clone(&backend), 5));
        backend.started(2).await;
        settle().await;
        assert_eq!((backend.loads(), world.cache.count(Event::Takeover)), (2, 1), "{}", world.name);
        backend.open_gate();
        assert_eq!(within(stuck).await.unwrap(), 1, "{}", world.name);
        assert_eq!(within(crowd.join_all()).await, [2; 19], "{}", world.name);
        let stored = world.run(impatient(backend, 5).peek()).await.unwrap();
        assert_eq!(stored, Some(2), "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_load_stuck_in_another_process_is_taken_over_too() {
    let world = World::redis();
    let elsewhere = world.elsewhere();
    let backend = Backend::closed();
    let stuck = tokio::spawn(with_cache(elsewhere.clone(), impatient(Arc::clone(&backend), 6)));
    backend.started(1).await;
    let crowd = world.crowd(20, || impatient(Arc::clone(&backend), 6));
    backend.started(2).await;
    backend.open_gate();
    within(crowd.join_all()).await;
    assert_eq!(within(stuck).await.unwrap(), 1);
    assert_eq!((backend.loads(), world.cache.count(Event::Takeover)), (2, 1));
    assert_eq!(world.run(impatient(backend, 6).peek()).await.unwrap(), Some(2));
    world.is_idle().await;
}

#[cached(ttl = 60, skip(backend), wait = Duration::MAX, lease = Duration::MAX)]
async fn for_ever(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = Duration::MAX, grace = Duration::MAX, reason = "a test", skip(backend), wait = Duration::ZERO)]
async fn at_once(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn spans_of_any_length_are_clamped() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(3, || for_ever(Arc::clone(&backend), 7));
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        assert_eq!(within(crowd.join_all()).await, [1; 3], "{}", world.name);
        assert_eq!(world.run(at_once(Arc::clone(&backend), 7)).await, 2, "{}", world.name);
        assert_eq!(world.run(at_once(backend, 7)).await, 2, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_replaced_flight_leaves_no_record_behind() {
    let world = World::redis();
    let backend = Backend::closed();
    {
        let mut leader = pin!(with_cache(world.cache.clone(), borrowed(&backend, 8)));
        tokio::select! { _ = &mut leader => unreachable!(), () = backend.started(1) => {} }
        let other = Arc::clone(&backend);
        let waiter = world.spawn(async move { borrowed(&other, 8).await });
        settle().await;
        with_cache(world.elsewhere(), borrowed(&backend, 8).prime(70)).await.unwrap();
        assert_eq!(within(waiter).await.unwrap(), 70, "it moved on and found the value");
    }
    world.is_idle().await;
}
