//! A refresh beside readers, beside other refreshes, and beside loads that run.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Kind, cached, with_cache};

use crate::backend::{Backend, World, settle, within};
use crate::changes::{failing, lock};

#[tokio::test]
async fn refresh_never_returns_what_an_older_load_brought() {
    for world in World::all() {
        let backend = Backend::closed();
        let old = world.spawn(lock(Arc::clone(&backend), 2));
        backend.started(1).await;
        let refresh = world.spawn(lock(Arc::clone(&backend), 2).refresh().with_outcome());
        settle().await;
        backend.open_gate();
        assert_eq!(within(old).await.unwrap(), 1, "{}", world.name);
        let (value, how) = within(refresh).await.unwrap();
        assert_eq!((value, how.kind), (2, Kind::Computed), "{}", world.name);
        assert_eq!(world.run(lock(backend, 2)).await, 2, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn refresh_waits_for_the_running_load_of_another_process() {
    let world = World::redis();
    let backend = Backend::closed();
    let elsewhere = tokio::spawn(with_cache(world.elsewhere(), lock(Arc::clone(&backend), 3)));
    backend.started(1).await;
    let refresh = world.spawn(lock(Arc::clone(&backend), 3).refresh());
    world.waits_for_another_process(lock(Arc::clone(&backend), 3).key()).await;
    assert_eq!(backend.loads(), 1);
    backend.open_gate();
    assert_eq!(within(elsewhere).await.unwrap(), 1);
    assert_eq!(within(refresh).await.unwrap(), 2);
    world.is_idle().await;
}

#[tokio::test]
async fn a_refresh_keeps_no_reader_from_a_value_that_is_there() {
    for world in World::all() {
        let backend = Backend::closed();
        world.run(fails(Arc::clone(&backend), 1).prime(7)).await.unwrap();
        let refresh = world.spawn(fails(Arc::clone(&backend), 1).refresh().with_outcome());
        backend.started(1).await;
        let (value, how) = world.run(fails(Arc::clone(&backend), 1).with_outcome()).await;
        assert_eq!((value, how.kind), (Ok(7), Kind::Hit), "{}: while it runs", world.name);
        backend.open_gate();
        let (value, how) = within(refresh).await.unwrap();
        assert_eq!((value, how.kind), (Ok(7), Kind::StaleOnError), "{}: it failed", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_failing_refresh_leaves_readers_their_last_value() {
    for world in World::all() {
        let past =
            Past { age: Duration::from_secs(60), fresh_for: Duration::from_secs(10), cost: None };
        let backend = Backend::closed();
        world.run(plant(&failing(Arc::clone(&backend), 9), Ok(7), past)).await.unwrap();
        let refresh = world.spawn(failing(Arc::clone(&backend), 9).refresh());
        backend.started(1).await;
        let reader = world.spawn(failing(Arc::clone(&backend), 9));
        settle().await;
        backend.open_gate();
        assert_eq!(within(reader).await.unwrap(), Ok(7), "{}", world.name);
        assert_eq!(within(refresh).await.unwrap(), Ok(7), "{}", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 600, skip(backend))]
async fn fails(backend: Arc<Backend>, id: u32) -> Result<u32, ()> {
    let _ = id;
    backend.load().await;
    Err(())
}

#[tokio::test]
async fn fifty_refreshes_at_once_cost_at_most_two_loads() {
    for world in World::all() {
        let backend = Backend::closed();
        backend.allow(1);
        assert_eq!(world.run(lock(Arc::clone(&backend), 4)).await, 1);
        let crowd = world.crowd(50, || lock(Arc::clone(&backend), 4).refresh());
        backend.started(2).await;
        settle().await;
        backend.open_gate();
        let values = within(crowd.join_all()).await;
        assert!(values.iter().all(|value| (2..=3).contains(value)), "{}: {values:?}", world.name);
        assert!(backend.loads() <= 3, "{}: at most two more", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn refreshes_of_two_processes_cost_at_most_two_loads() {
    let world = World::redis();
    let backend = Backend::closed();
    let elsewhere = world.elsewhere();
    let mut crowd = world.crowd(25, || lock(Arc::clone(&backend), 5).refresh());
    backend.started(1).await;
    for _ in 0..25 {
        crowd.spawn(with_cache(elsewhere.clone(), lock(Arc::clone(&backend), 5).refresh()));
    }
    world.waits_for_another_process(lock(Arc::clone(&backend), 5).key()).await;
    backend.open_gate();
    within(crowd.join_all()).await;
    assert_eq!(backend.loads(), 2);
    world.is_idle().await;
}

#[cached(
    ttl = 60,
    strategy = "swr",
    grace = 60,
    reason = "a test",
    refresh = "inline",
    skip(backend)
)]
async fn inline(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn an_inline_refresh_is_waited_for_by_the_caller_that_runs_it_and_nobody_else() {
    for world in World::all() {
        let backend = Backend::closed();
        let past =
            Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
        world.run(plant(&inline(Arc::clone(&backend), 1), 500, past)).await.unwrap();
        let refreshes = world.spawn(inline(Arc::clone(&backend), 1).with_outcome());
        backend.started(1).await;
        assert_eq!(world.run(inline(Arc::clone(&backend), 1)).await, 500, "{}", world.name);
        backend.open_gate();
        let (value, how) = within(refreshes).await.unwrap();
        assert_eq!((value, how.kind), (1, Kind::Computed), "{}", world.name);
        world.is_idle().await;
    }
}
