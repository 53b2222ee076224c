//! So many loads of a function at once, and no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Event, Kind, Reason, cached, with_cache};

use crate::backend::{Backend, World, cut_off, eventually, settle, within};
use crate::timeouts::Failure;

macro_rules! loads {
    ($($name:ident($($arguments:tt)*);)*) => {
        $(
            #[cached(ttl = 60, skip(backend), $($arguments)*)]
            async fn $name(backend: Arc<Backend>, id: u32) -> u32 {
                let _ = id;
                backend.load().await
            }
        )*
    };
}

loads! {
    two(concurrency = 2);
    elsewhere(concurrency = 2);
    away(concurrency = 1);
    bypassed(concurrency = 1);
    detached(concurrency = 1);
    inline(concurrency = 1, detach = false);
    behind(concurrency = 1, strategy = "swr", grace = 600, reason = "a test");
    beside(concurrency = 1, strategy = "swr", grace = 600, reason = "a test", refresh = "inline");
    resilient(concurrency = 1, stale_if_error = 600, reason = "a test");
}

fn stale() -> Past {
    Past { age: Duration::from_secs(90), fresh_for: Duration::from_secs(60), cost: None }
}

#[tokio::test]
async fn of_many_keys_as_many_load_at_once_as_are_allowed() {
    for world in World::all() {
        let backend = Backend::closed();
        let mut ids = 0..20;
        let crowd = world.crowd(20, || two(Arc::clone(&backend), ids.next().unwrap()));
        for ended in 0..=18 {
            backend.allow(ended);
            backend.started(ended + 2).await;
            settle().await;
            assert_eq!(backend.loads(), ended + 2, "{}", world.name);
        }
        backend.open_gate();
        within(crowd.join_all()).await;
        assert_eq!((backend.loads(), backend.most_at_once()), (20, 2), "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn without_the_store_the_cap_holds_too() {
    let (cache, backend) = (cut_off(), Backend::closed());
    let mut calls = tokio::task::JoinSet::new();
    for id in 0..3 {
        calls.spawn(with_cache(cache.clone(), away(Arc::clone(&backend), id)));
    }
    for ended in 0..=2 {
        backend.allow(ended);
        backend.started(ended + 1).await;
    }
    backend.open_gate();
    within(calls.join_all()).await;
    assert_eq!(backend.most_at_once(), 1);
}

#[tokio::test]
async fn the_loader_alone_needs_no_permit() {
    for world in World::all() {
        let backend = Backend::closed();
        let first = world.spawn(bypassed(Arc::clone(&backend), 1));
        backend.started(1).await;
        let second = world.spawn(bypassed(Arc::clone(&backend), 2).bypass());
        backend.started(2).await;
        backend.open_gate();
        assert_eq!((within(first).await.unwrap(), within(second).await.unwrap()), (1, 2));
        world.is_idle().await;
    }
}

#[tokio::test]
async fn who_waits_for_another_process_keeps_no_permit() {
    let world = World::redis();
    let backend = Backend::closed();
    let call = |id| elsewhere(Arc::clone(&backend), id);
    let holder = tokio::spawn(with_cache(world.elsewhere(), call(1)));
    backend.started(1).await;
    let waiter = world.spawn(call(1));
    world.waits_for_another_process(call(1).key()).await;
    let other = world.spawn(call(2));
    backend.started(2).await; // of two permits one is free
    backend.open_gate();
    assert_eq!((within(holder).await.unwrap(), within(waiter).await.unwrap()), (1, 1));
    assert_eq!((within(other).await.unwrap(), backend.loads()), (2, 2));
    world.is_idle().await;
}

#[tokio::test]
async fn a_refresh_is_left_out_while_no_permit_is_free() {
    for world in World::all() {
        for inline in [false, true] {
            let backend = Backend::closed();
            let call = async |id: u32| {
                let backend = Arc::clone(&backend);
                let answer = if inline {
                    beside(backend, id).with_outcome().await
                } else {
                    behind(backend, id).with_outcome().await
                };
                (answer.0, answer.1.kind)
            };
            let (one, two) = (behind(Arc::clone(&backend), 2), beside(Arc::clone(&backend), 2));
            world.run(plant(&one, 7, stale())).await.unwrap();
            world.run(plant(&two, 7, stale())).await.unwrap();
            let place = format!("{} inline={inline}", world.name);
            let first = async {
                assert_eq!(world.run(call(1)).await, (1, Kind::Computed), "{place}");
            };
            let second = async {
                backend.started(1).await;
                assert_eq!(world.run(call(2)).await, (7, Kind::Stale), "{place}: served");
                settle().await;
                assert_eq!((backend.loads(), world.cache.flights()), (1, 1), "{place}: left out");
                backend.open_gate();
            };
            tokio::join!(first, second);
            let kind = world.run(call(2)).await.1;
            assert_eq!(kind, if inline { Kind::Computed } else { Kind::Stale }, "{place}");
            eventually("the refresh", || backend.loads() == 2).await;
            world.is_idle().await;
            world.run(behind(Backend::open(), 1).invalidate()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn the_last_value_stands_in_while_no_permit_is_free() {
    for world in World::all() {
        let backend = Backend::closed();
        let call = |id| resilient(Arc::clone(&backend), id);
        world.run(plant(&call(2), 7, stale())).await.unwrap();
        let first = world.spawn(call(1));
        backend.started(1).await;
        for (value, how) in within(world.crowd(6, || call(2).with_outcome()).join_all()).await {
            assert_eq!((value, how.kind), (7, Kind::StaleOnError), "{}", world.name);
        }
        assert!(world.cache.count(Event::Overloaded) >= 1, "{}", world.name);
        assert_eq!((backend.loads(), world.cache.count(Event::StaleOnError)), (1, 6));
        backend.open_gate();
        within(first).await.unwrap();
        assert_eq!(world.run(call(2)).await, 2, "{}: loaded again", world.name);
        world.is_idle().await;
    }
}

/// Milliseconds; the settings are evaluated at each call.
static LIMIT: AtomicU64 = AtomicU64::new(0);

#[cached(
    ttl = 60,
    timeout = Duration::from_millis(LIMIT.load(Ordering::SeqCst)),
    concurrency = 1,
    skip(backend)
)]
async fn late(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Ok(backend.load().await)
}

#[tokio::test]
async fn who_waits_too_long_for_a_permit_is_told() {
    for world in World::all() {
        let backend = Backend::closed();
        let call = |id| late(Arc::clone(&backend), id);
        LIMIT.store(0, Ordering::SeqCst);
        let first = world.spawn(call(1));
        backend.started(1).await;
        LIMIT.store(100, Ordering::SeqCst);
        let crowd = world.crowd(6, || call(2));
        let told = Err(Failure::Late(Reason::Overloaded));
        for answer in within(crowd.join_all()).await {
            assert_eq!(answer, told, "{}", world.name);
        }
        assert!(world.cache.count(Event::Overloaded) >= 1, "{}", world.name);
        assert_eq!((backend.loads(), world.cache.count(Event::LoadFailed)), (1, 0));
        LIMIT.store(20_000, Ordering::SeqCst);
        let second = world.spawn(call(2));
        settle().await;
        backend.open_gate();
        assert_eq!(within(first).await.unwrap(), Ok(1), "{}", world.name);
        assert_eq!(within(second).await.unwrap(), Ok(2), "{}: it waited", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, concurrency = 1, skip(backend))]
async fn panics(backend: Arc<Backend>, id: u32) -> u32 {
    let number = backend.load().await;
    assert!(id > 0, "load {number}");
    number
}

#[tokio::test]
async fn permits_come_back_from_loads_that_panic_and_from_callers_that_leave() {
    for world in World::all() {
        let backend = Backend::open();
        let panicked = world.spawn(panics(Arc::clone(&backend), 0));
        assert!(within(panicked).await.unwrap_err().is_panic());
        assert_eq!(world.run(panics(backend, 1)).await, 2, "{}", world.name);

        let backend = Backend::closed();
        let caller = world.spawn(inline(Arc::clone(&backend), 1));
        backend.started(1).await;
        caller.abort();
        let other = world.spawn(inline(Arc::clone(&backend), 2));
        backend.started(2).await;
        backend.open_gate();
        assert_eq!(within(other).await.unwrap(), 2, "{}", world.name);

        let backend = Backend::closed();
        let caller = world.spawn(detached(Arc::clone(&backend), 1));
        backend.started(1).await;
        caller.abort();
        let other = world.spawn(detached(Arc::clone(&backend), 2));
        settle().await;
        assert_eq!(backend.loads(), 1, "{}: the load goes on, with its permit", world.name);
        backend.open_gate();
        assert_eq!(within(other).await.unwrap(), 2, "{}", world.name);
        assert_eq!(backend.most_at_once(), 1, "{}", world.name);
        world.is_idle().await;
    }
}
