//! What happens later, on a hand-moved clock.

use std::sync::Arc;
use std::time::Duration;

use herdless::{Cache, Clock, Event, Kind, cached, with_cache};

use crate::backend::{Backend, eventually, within};

#[cached(ttl = 10, strategy = "swr", grace = 60, reason = "a test", skip(backend))]
async fn feed(backend: Arc<Backend>, copy: u32) -> u32 {
    let _ = copy;
    backend.load().await
}

#[tokio::test]
async fn stale_while_revalidate_from_fresh_to_gone() {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let backend = Backend::open();
    let call =
        |copy| with_cache(cache.clone(), within(feed(Arc::clone(&backend), copy).with_outcome()));
    for copy in 0..4 {
        assert_eq!(call(copy).await.0, copy + 1);
    }
    let mut now = 0.0;
    for (copy, age, kind) in [
        (0, 12.0, Kind::Stale),
        (1, 12.1, Kind::Stale),
        (2, 69.9, Kind::Stale),
        (3, 70.1, Kind::Computed),
    ] {
        clock.advance(Duration::from_secs_f64(age - now));
        now = age;
        let loads = backend.loads();
        let (value, how) = call(copy).await;
        assert_eq!(how.kind, kind, "at {age}");
        if kind == Kind::Stale {
            assert_eq!(value, copy + 1, "at {age}: the stale value, at once");
            assert_eq!(how.age, Some(Duration::from_secs_f64(age)), "at {age}");
        }
        eventually("one refresh", || cache.flights() == 0 && backend.loads() == loads + 1).await;
        let (value, how) = call(copy).await;
        assert_eq!((value, how.kind), (loads + 1, Kind::Hit), "at {age}: refreshed");
        assert_eq!(how.age, Some(Duration::ZERO), "at {age}: the whole ttl again");
    }
    assert_eq!((cache.count(Event::Stale), cache.count(Event::MissExpired)), (3, 1));
}

#[cached(ttl = Duration::ZERO, skip(backend))]
async fn never_kept(backend: Arc<Backend>) -> u32 {
    backend.load().await
}

#[tokio::test]
async fn a_ttl_of_zero_returns_and_does_not_store() {
    for world in crate::backend::World::all() {
        let backend = Backend::open();
        assert_eq!(world.run(never_kept(Arc::clone(&backend))).await, 1);
        assert_eq!(world.run(never_kept(Arc::clone(&backend))).await, 2);
        assert_eq!(world.cache.count(Event::TtlZero), 2, "{}", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = "10ms", skip(backend))]
async fn brief(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn who_waited_is_answered_even_if_the_short_life_is_over() {
    let world = crate::backend::World::redis();
    let backend = Backend::closed();
    let leader = tokio::spawn(with_cache(world.elsewhere(), brief(Arc::clone(&backend), 1)));
    backend.started(1).await;
    let crowd = world.crowd(20, || brief(Arc::clone(&backend), 1));
    world.waits_for_another_process(brief(Arc::clone(&backend), 1).key()).await;
    backend.open_gate();
    assert_eq!(within(leader).await.unwrap(), 1);
    assert_eq!(within(crowd.join_all()).await, [1; 20]);
    assert_eq!(backend.loads(), 1);
    world.is_idle().await;
}
