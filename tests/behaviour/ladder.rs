//! Loads that fail again and again, or never end: how often they are tried, and what is seen.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Cache, Event, Kind, Outcome, cached, with_cache};

use crate::backend::{Backend, World, settle, within};

#[cached(ttl = 60, stale_if_error = 600, reason = "a test", skip(backend))]
async fn fails(backend: Arc<Backend>, id: u32) -> Result<u32, ()> {
    let _ = id;
    backend.load().await;
    Err(())
}

const PAST: Past =
    Past { age: Duration::from_secs(60), fresh_for: Duration::from_secs(10), cost: None };

async fn ask(cache: &Cache, backend: &Arc<Backend>) -> (Result<u32, ()>, Outcome) {
    with_cache(cache.clone(), within(fails(Arc::clone(backend), 1).with_outcome())).await
}

#[tokio::test]
async fn while_the_last_value_stands_a_failed_load_is_not_tried_at_every_call() {
    for world in World::all() {
        let backend = Backend::open();
        world.run(plant(&fails(Arc::clone(&backend), 1), Ok(7), PAST)).await.unwrap();
        for _ in 0..20 {
            let (value, how) = ask(&world.cache, &backend).await;
            assert_eq!((value, how.kind), (Ok(7), Kind::StaleOnError), "{}", world.name);
        }
        // Nor by another process, which has seen no failure itself.
        let elsewhere = world.elsewhere();
        for _ in 0..20 {
            let (value, how) = ask(&elsewhere, &backend).await;
            assert_eq!((value, how.kind), (Ok(7), Kind::StaleOnError), "{}", world.name);
        }
        assert_eq!(backend.loads(), 1, "{}", world.name);
        while backend.loads() < 2 {
            assert_eq!(ask(&elsewhere, &backend).await.0, Ok(7), "{}", world.name);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_last_value_that_was_removed_stands_in_for_nothing() {
    for world in World::all() {
        let backend = Backend::open();
        let call = || fails(Arc::clone(&backend), 1);
        world.run(plant(&call(), Ok(7), PAST)).await.unwrap();
        assert_eq!(ask(&world.cache, &backend).await.0, Ok(7), "{}", world.name);
        with_cache(world.elsewhere(), within(call().invalidate())).await.unwrap();
        for loads in 2..=4 {
            assert_eq!(ask(&world.cache, &backend).await.0, Err(()), "{}", world.name);
            assert_eq!(backend.loads(), loads, "{}: nothing to serve, so it is tried", world.name);
        }
        world.is_idle().await;
    }
}

#[tokio::test]
async fn who_insists_tries_although_it_has_just_failed() {
    for world in World::all() {
        let backend = Backend::open();
        let call = || fails(Arc::clone(&backend), 1);
        world.run(plant(&call(), Ok(7), PAST)).await.unwrap();
        for loads in 1..=3 {
            assert_eq!(world.run(call().refresh()).await, Ok(7), "{}", world.name);
            assert_eq!(backend.loads(), loads, "{}", world.name);
        }
        world.is_idle().await;
    }
}

#[cached(ttl = 60, skip(backend))]
async fn row(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test(start_paused = true)]
async fn a_loader_that_never_returns_is_seen_and_given_up() {
    let world = World::embedded();
    let backend = Backend::closed();
    assert_eq!(world.cache.oldest_load(), None);
    let stuck = world.spawn(row(Arc::clone(&backend), 1));
    backend.started(1).await;
    tokio::time::sleep(Duration::from_secs(200)).await;
    let younger = world.spawn(row(Arc::clone(&backend), 2));
    settle().await;
    assert_eq!(world.cache.oldest_load(), Some(Duration::from_secs(200)));
    assert_eq!(world.cache.count(Event::LoadOverdue), 0);
    tokio::time::sleep(Duration::from_secs(101)).await;
    assert_eq!(world.cache.count(Event::LoadOverdue), 1);

    // The key is of use again: whoever comes waits for `wait`, and loads.
    let next = world.spawn(row(Arc::clone(&backend), 1));
    while backend.loads() < 3 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(world.cache.count(Event::Takeover), 1);
    backend.open_gate();
    let values = (next.await.unwrap(), younger.await.unwrap(), stuck.await.unwrap());
    assert_eq!(values, (3, 2, 1));
    assert_eq!(world.cache.oldest_load(), None);
}
