//! Values with a life of their own: `none` and `ttl_from`.

use std::sync::Arc;
use std::time::Duration;

use herdless::{Cache, Clock, ErrorKind, Event, Kind, cached, with_cache};

use crate::backend::{Backend, World, settle, within};

/// Nothing for the number 0.
async fn find(backend: &Backend, id: u32) -> Option<u32> {
    let number = backend.load().await;
    (id > 0).then_some(number)
}

#[cached(ttl = 60, skip(backend))]
async fn kept(backend: Arc<Backend>, id: u32) -> Option<u32> {
    find(&backend, id).await
}

#[cached(ttl = 60, none = "skip", skip(backend))]
async fn skipped(backend: Arc<Backend>, id: u32) -> Option<u32> {
    find(&backend, id).await
}

#[cached(ttl = 60, none = "skip", skip(backend))]
async fn skipped_ok(backend: Arc<Backend>, id: u32) -> Result<Option<u32>, String> {
    Ok(find(&backend, id).await)
}

#[cached(ttl = 60, none = "5s", skip(backend))]
async fn short(backend: Arc<Backend>, id: u32) -> Option<u32> {
    find(&backend, id).await
}

#[cached(ttl = 60, none = "5s", skip(backend))]
async fn short_ok(backend: Arc<Backend>, id: u32) -> Result<Option<u32>, String> {
    Ok(find(&backend, id).await)
}

#[tokio::test]
async fn a_none_is_stored_like_any_value_unless_told_otherwise() {
    for world in World::all() {
        let backend = Backend::open();
        for kind in [Kind::Computed, Kind::Hit] {
            let (value, how) = world.run(kept(Arc::clone(&backend), 0).with_outcome()).await;
            assert_eq!((value, how.kind), (None, kind), "{}", world.name);
        }
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_skipped_none_is_returned_counted_and_loaded_again() {
    for world in World::all() {
        let backend = Backend::open();
        for loads in 1..=2 {
            assert_eq!(world.run(skipped(Arc::clone(&backend), 0)).await, None);
            assert_eq!(
                (backend.loads(), world.cache.count(Event::NoneSkipped)),
                (loads, loads.into())
            );
        }
        for loads in 3..=4 {
            assert_eq!(world.run(skipped_ok(Arc::clone(&backend), 0)).await, Ok(None));
            assert_eq!(backend.loads(), loads, "{}", world.name);
        }
        assert_eq!(world.run(skipped(Arc::clone(&backend), 0).peek()).await.unwrap(), None);
        assert_eq!(world.run(skipped(Arc::clone(&backend), 1)).await, Some(5));
        assert_eq!(world.run(skipped(Arc::clone(&backend), 1)).await, Some(5), "{}", world.name);
        assert_eq!(world.run(skipped_ok(Arc::clone(&backend), 1)).await, Ok(Some(6)));
        assert_eq!(world.run(skipped_ok(backend, 1)).await, Ok(Some(6)), "{}", world.name);
        assert_eq!(world.cache.count(Event::TtlZero), 0);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn everybody_who_waits_gets_a_skipped_none_from_one_load() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(20, || skipped(Arc::clone(&backend), 0));
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        assert_eq!(within(crowd.join_all()).await, [None; 20], "{}", world.name);
        assert_eq!(backend.loads(), 1, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_none_with_a_shorter_life_leaves_before_other_values() {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let backend = Backend::open();
    let both = async |id| {
        let plain = with_cache(cache.clone(), short(Arc::clone(&backend), id)).await;
        let result = with_cache(cache.clone(), short_ok(Arc::clone(&backend), id)).await;
        (plain, result.unwrap())
    };
    assert_eq!((both(0).await, both(1).await), ((None, None), (Some(3), Some(4))));
    clock.advance(Duration::from_millis(4_999));
    assert_eq!((both(0).await, backend.loads()), ((None, None), 4), "still there");
    clock.advance(Duration::from_millis(2));
    assert_eq!((both(0).await, backend.loads()), ((None, None), 6), "over");
    assert_eq!(both(1).await, (Some(3), Some(4)), "the whole ttl");
    clock.advance(Duration::from_secs(56));
    assert_eq!(both(1).await, (Some(7), Some(8)));
}

/// Even seconds; an odd number says that it is not to be stored.
fn seconds(value: &u32) -> Option<Duration> {
    value.is_multiple_of(2).then(|| Duration::from_secs(u64::from(*value)))
}

#[cached(ttl = 60, ttl_from = seconds, skip(backend))]
async fn dated(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    id
}

#[tokio::test]
async fn a_value_says_how_long_it_lives_and_the_ttl_is_the_ceiling() {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let backend = Backend::open();
    let loads = async |id| {
        assert_eq!(with_cache(cache.clone(), dated(Arc::clone(&backend), id)).await, id);
        backend.loads()
    };
    assert_eq!((loads(10).await, loads(90).await, loads(7).await), (1, 2, 3));
    assert_eq!(loads(7).await, 4, "not stored");
    assert_eq!(cache.count(Event::TtlZero), 2);
    clock.advance(Duration::from_secs(9));
    assert_eq!((loads(10).await, loads(90).await), (4, 4));
    clock.advance(Duration::from_secs(2));
    assert_eq!((loads(10).await, loads(90).await), (5, 5));
    clock.advance(Duration::from_secs(48));
    assert_eq!(loads(90).await, 5);
    clock.advance(Duration::from_secs(2));
    assert_eq!(loads(90).await, 6, "a minute, not ninety seconds");
}

#[tokio::test]
async fn the_life_of_a_value_is_kept_beside_it_in_the_store() {
    let world = World::redis();
    let backend = Backend::open();
    for id in [20, 90, 7] {
        assert_eq!(world.run(dated(Arc::clone(&backend), id)).await, id);
    }
    let server = world.server.as_ref().unwrap();
    let mut connection = server.connection().await;
    // Ends are whole milliseconds, rounded up; -2 is "no such key".
    for (id, most) in [(20, 20_001), (90, 60_001), (7, -2)] {
        let key = world.cache.redis_key(dated(Arc::clone(&backend), id).key());
        let left: i64 =
            redis::cmd("PTTL").arg(&key).query_async(&mut connection).await.expect("PTTL");
        assert!(left <= most && left > most - 15_000, "{id}: {left} ms");
    }
    assert_eq!(world.run(dated(Arc::clone(&backend), 90)).await, 90);
    assert_eq!(backend.loads(), 3, "a hit");
    world.is_idle().await;
}

#[tokio::test]
async fn a_primed_value_lives_as_a_loaded_one_or_removes_what_is_there() {
    for world in World::all() {
        let backend = Backend::open();
        let call = |id| dated(Arc::clone(&backend), id);
        world.run(call(1).prime(8)).await.unwrap();
        assert_eq!(world.run(call(1).peek()).await.unwrap(), Some(8), "{}", world.name);
        let error = world.run(call(1).prime(9)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unstorable, "{}", world.name);
        assert_eq!(world.run(call(1).peek()).await.unwrap(), None, "{}", world.name);

        let call = |id| skipped(Arc::clone(&backend), id);
        world.run(call(2).prime(Some(8))).await.unwrap();
        assert_eq!(world.run(call(2).peek()).await.unwrap(), Some(Some(8)), "{}", world.name);
        let error = world.run(call(2).prime(None)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unstorable, "{}", world.name);
        assert_eq!(world.run(call(2).peek()).await.unwrap(), None, "{}", world.name);
        assert_eq!((backend.loads(), world.cache.count(Event::NoneSkipped)), (0, 1));
        world.is_idle().await;
    }
}

/// As long as the number says, a `None` five seconds, and less where that is less.
fn seconds_of_some(value: &Option<u32>) -> Option<Duration> {
    Some(Duration::from_secs(value.map_or(2, u64::from)))
}

#[cached(ttl = 60, none = "5s", ttl_from = seconds_of_some, skip(backend))]
async fn both(backend: Arc<Backend>, id: u32) -> Option<u32> {
    backend.load().await;
    (id > 0).then_some(id)
}

#[tokio::test]
async fn of_two_lives_the_shorter_one_counts() {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    let backend = Backend::open();
    let loads = async |id| {
        with_cache(cache.clone(), both(Arc::clone(&backend), id)).await;
        backend.loads()
    };
    assert_eq!((loads(0).await, loads(9).await), (1, 2));
    clock.advance(Duration::from_secs(3));
    assert_eq!((loads(0).await, loads(9).await), (3, 3));
    clock.advance(Duration::from_secs(7));
    assert_eq!(loads(9).await, 4);
}
