//! `invalidate`, `expire`, `prime` and `refresh` against loads that run.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Call, Event, Kind, cached, with_cache};

use crate::backend::{Backend, World, eventually, settle, within};

macro_rules! strategies {
    ($($name:ident($($settings:tt)*);)*) => {$(
        #[cached($($settings)*, skip(backend))]
        pub(crate) async fn $name(backend: Arc<Backend>, id: u32) -> u32 {
            let _ = id;
            backend.load().await
        }
    )*};
}

strategies! {
    lock(ttl = 60);
    xfetch(ttl = 60, strategy = "xfetch");
    ahead(ttl = 60, strategy = "ahead");
    swr(ttl = 60, strategy = "swr", grace = 60, reason = "a test");
    jitter(ttl = 60, strategy = "jitter", jitter = 30, reason = "a test");
}

/// What comes in between a load and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Invalidate,
    Expire,
    Prime,
}

/// A load runs; from another process comes a change; a caller comes after it; the load ends.
async fn comes_between<F>(world: &World, change: Change, call: impl Fn(Arc<Backend>) -> Call<F>)
where
    F: Future<Output = u32> + Send + 'static,
{
    let backend = Backend::closed();
    let place = format!("{} {change:?} {}", world.name, call(Arc::clone(&backend)).key());
    let before = world.spawn(call(Arc::clone(&backend)));
    backend.started(1).await;
    let joined = world.spawn(call(Arc::clone(&backend)));
    settle().await;

    let handle = call(Arc::clone(&backend));
    let changed = match change {
        Change::Invalidate => handle.invalidate(),
        Change::Expire => handle.expire(),
        Change::Prime => handle.prime(70),
    };
    with_cache(world.elsewhere(), within(changed)).await.unwrap();

    let after = world.spawn(call(Arc::clone(&backend)).with_outcome());
    settle().await;
    backend.open_gate();
    assert_eq!(within(before).await.unwrap(), 1, "{place}: who came before may see the old value");
    assert!([1, 2, 70].contains(&within(joined).await.unwrap()), "{place}");
    let (value, how) = within(after).await.unwrap();
    if change == Change::Prime {
        assert_eq!(value, 70, "{place}");
    } else {
        assert_eq!((value, backend.loads()), (2, 2), "{place}: {how:?}");
    }
    let stored = world.run(call(Arc::clone(&backend)).peek()).await.unwrap();
    assert_eq!(stored, Some(value), "{place}");
    let elsewhere = with_cache(world.elsewhere(), within(call(backend).peek())).await.unwrap();
    assert_eq!(elsewhere, Some(value), "{place}");
    assert_eq!(world.cache.count(Event::Superseded), 1, "{place}");
    world.is_idle().await;
}

#[tokio::test]
async fn a_change_during_a_load_wins_for_every_strategy() {
    for change in [Change::Invalidate, Change::Expire, Change::Prime] {
        for make in [World::embedded as fn() -> World, World::redis] {
            comes_between(&make(), change, |backend| lock(backend, 1)).await;
            comes_between(&make(), change, |backend| xfetch(backend, 1)).await;
            comes_between(&make(), change, |backend| ahead(backend, 1)).await;
            comes_between(&make(), change, |backend| swr(backend, 1)).await;
            comes_between(&make(), change, |backend| jitter(backend, 1)).await;
        }
    }
}

#[tokio::test]
async fn expire_serves_stale_once_more_and_refreshes_behind() {
    for world in World::all() {
        let backend = Backend::open();
        assert_eq!(world.run(swr(Arc::clone(&backend), 6)).await, 1);
        world.run(swr(Arc::clone(&backend), 6).expire()).await.unwrap();
        let (value, how) = world.run(swr(Arc::clone(&backend), 6).with_outcome()).await;
        assert_eq!((value, how.kind), (1, Kind::Stale), "{}", world.name);
        backend.started(2).await;
        world.is_idle().await;
        assert_eq!(world.run(swr(Arc::clone(&backend), 6)).await, 2, "{}", world.name);
        world.run(lock(Arc::clone(&backend), 6)).await;
        world.run(lock(Arc::clone(&backend), 6).expire()).await.unwrap();
        let gone = world.run(lock(backend, 6).peek()).await.unwrap();
        assert_eq!(gone, None, "{}: without grace it is an invalidation", world.name);
    }
}

#[cached(ttl = 60, strategy = "ahead", skip(backend))]
async fn fallible(backend: Arc<Backend>, id: u32) -> Result<u32, ()> {
    let _ = id;
    Ok(backend.load().await)
}

#[tokio::test]
async fn expire_refuses_the_refresh_that_runs_and_keeps_the_value() {
    for world in World::all() {
        let backend = Backend::closed();
        let past =
            Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
        world.run(plant(&swr(Arc::clone(&backend), 10), 500, past)).await.unwrap();
        assert_eq!(world.run(swr(Arc::clone(&backend), 10)).await, 500);
        backend.started(1).await;
        let expire = swr(Arc::clone(&backend), 10).expire();
        with_cache(world.elsewhere(), within(expire)).await.unwrap();
        backend.open_gate();
        eventually("it is refused", || world.cache.count(Event::Superseded) == 1).await;
        let (value, how) = world.run(swr(Arc::clone(&backend), 10).with_outcome()).await;
        assert_eq!((value, how.kind), (500, Kind::Stale), "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn prime_and_peek_speak_of_the_value_and_never_load() {
    for world in World::all() {
        let backend = Backend::open();
        let call = fallible(Arc::clone(&backend), 7);
        assert_eq!(world.run(call.peek()).await.unwrap(), None);
        world.run(call.prime(9)).await.unwrap();
        assert_eq!(world.run(call.peek()).await.unwrap(), Some(9));
        assert_eq!(world.run(call).await, Ok(9));
        assert_eq!(world.run(fallible(Arc::clone(&backend), 7).bypass()).await, Ok(1));
        assert_eq!(world.run(fallible(Arc::clone(&backend), 7)).await, Ok(9), "{}", world.name);
        assert_eq!(backend.loads(), 1, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_planted_value_is_replaced_like_any_other() {
    for world in World::all() {
        let backend = Backend::open();
        let past =
            Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
        world.run(plant(&swr(Arc::clone(&backend), 9), 500, past)).await.unwrap();
        assert_eq!(world.run(swr(Arc::clone(&backend), 9)).await, 500, "{}", world.name);
        backend.started(1).await;
        world.is_idle().await;
        let (value, how) = world.run(swr(backend, 9).with_outcome()).await;
        assert_eq!((value, how.kind), (1, Kind::Hit), "{}", world.name);
    }
}

#[tokio::test]
async fn another_binary_invalidates_by_key() {
    for world in World::all() {
        let backend = Backend::open();
        let call = lock(Arc::clone(&backend), 8);
        let identity = call.key().as_str().split(":v1").next().unwrap().to_owned();
        world.run(call).await;
        let key = herdless::Key::for_function(&identity).arg(&8_u32).finish();
        within(world.elsewhere().invalidate_key(&key)).await.unwrap();
        assert_eq!(world.run(lock(backend, 8)).await, 2, "{}", world.name);
        eventually("idle", || world.cache.flights() == 0).await;
    }
}

#[cached(ttl = Duration::ZERO, skip(backend))]
async fn unstored(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 10, stale_if_error = 600, reason = "a test", skip(backend))]
pub(crate) async fn failing(backend: Arc<Backend>, id: u32) -> Result<u32, ()> {
    let _ = id;
    backend.load().await;
    Err(())
}

/// A load runs; the key is invalidated elsewhere; a caller comes; both get their answers.
async fn across_an_invalidation<F, R>(
    world: &World,
    call: impl Fn(Arc<Backend>) -> Call<F>,
) -> (R, R, u32)
where
    F: Future<Output = R> + Send + 'static,
    R: Send + 'static,
{
    let backend = Backend::closed();
    let before = world.spawn(call(Arc::clone(&backend)));
    backend.started(1).await;
    let invalidate = call(Arc::clone(&backend)).invalidate();
    with_cache(world.elsewhere(), within(invalidate)).await.unwrap();
    let after = world.spawn(call(Arc::clone(&backend)));
    settle().await;
    backend.open_gate();
    (within(before).await.unwrap(), within(after).await.unwrap(), backend.loads())
}

#[tokio::test]
async fn a_value_that_is_not_stored_is_not_for_who_came_after_an_invalidation() {
    for world in World::all() {
        let answers = across_an_invalidation(&world, |backend| unstored(backend, 1)).await;
        assert_eq!(answers, (1, 2, 2), "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_last_value_is_not_for_who_came_after_an_invalidation() {
    for world in World::all() {
        let past =
            Past { age: Duration::from_secs(60), fresh_for: Duration::from_secs(10), cost: None };
        world.run(plant(&failing(Backend::open(), 1), Ok(7), past)).await.unwrap();
        let answers = across_an_invalidation(&world, |backend| failing(backend, 1)).await;
        assert_eq!(answers, (Ok(7), Err(()), 2), "{}", world.name);
        world.is_idle().await;
    }
}

/// The removal comes between the leader's look, which found the last value, and its begin.
#[tokio::test]
async fn a_last_value_removed_before_its_load_began_is_not_for_who_came_after() {
    let world = World::redis();
    let past =
        Past { age: Duration::from_secs(60), fresh_for: Duration::from_secs(10), cost: None };
    let (here, there) = (Backend::closed(), Backend::closed());
    world.run(plant(&failing(Backend::open(), 1), Ok(7), past)).await.unwrap();
    let holder =
        tokio::spawn(with_cache(world.elsewhere(), within(failing(Arc::clone(&there), 1))));
    there.started(1).await;
    let before = world.spawn(failing(Arc::clone(&here), 1));
    world.waits_for_another_process(failing(Arc::clone(&here), 1).key()).await;
    let invalidate = failing(Arc::clone(&here), 1).invalidate();
    with_cache(world.elsewhere(), within(invalidate)).await.unwrap();
    here.started(1).await;
    let after = world.spawn(failing(Arc::clone(&here), 1));
    settle().await; // it joins
    here.open_gate();
    there.open_gate();
    assert_eq!(within(after).await.unwrap(), Err(()), "it was removed before");
    drop((within(before).await, within(holder).await));
}
