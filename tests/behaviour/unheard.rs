//! Answers of the store that come late, or that nobody hears.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Call, Event, Kind, cached, with_cache};

use crate::backend::{Backend, cache_on, eventually, settle, within};
use crate::late::{Held, late};

#[cached(ttl = 60, skip(backend), lease = 60)]
pub(crate) async fn row(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn a_caller_held_between_its_miss_and_the_gate_does_not_load_again() {
    let (world, asked, open) = late(Held::Read, Duration::from_secs(20));
    let backend = Backend::open();
    let held = world.spawn(row(Arc::clone(&backend), 1).with_outcome());
    within(asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap();
    let elsewhere = cache_on(world.server.as_ref().unwrap());
    let first = with_cache(elsewhere, within(row(Arc::clone(&backend), 1))).await;
    open.send_replace(true);
    let (value, how) = within(held).await.unwrap();
    assert_eq!((first, value, how.kind), (1, 1, Kind::Joined));
    assert_eq!(backend.loads(), 1);
    world.is_idle().await;
}

#[tokio::test]
async fn a_lease_whose_grant_nobody_heard_is_given_back() {
    let (world, _, open) = late(Held::Begin, Duration::from_millis(300));
    let backend = Backend::open();
    let (value, how) = world.run(row(Arc::clone(&backend), 2).with_outcome()).await;
    assert_eq!((value, how.kind, how.degraded), (1, Kind::Computed, true), "without the store");
    world.is_idle().await; // long before the lease of a minute lapses
    drop(open);
}

#[tokio::test]
async fn a_lease_granted_to_a_caller_who_left_is_given_back() {
    let (world, asked, open) = late(Held::Begin, Duration::from_secs(20));
    let backend = Backend::open();
    let caller = world.spawn(row(Arc::clone(&backend), 3));
    within(asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap();
    caller.abort();
    settle().await;
    world.is_idle().await;
    assert_eq!(backend.loads(), 0);
    drop(open);
}

#[tokio::test]
async fn what_a_look_found_is_not_for_who_came_after_an_invalidation() {
    let (world, asked, open) = late(Held::Found, Duration::from_secs(20));
    let server = world.server.as_ref().unwrap();
    let (there, backend) = (cache_on(server), Backend::closed());
    let load = tokio::spawn(with_cache(there.clone(), row(Arc::clone(&backend), 5)));
    backend.started(1).await;
    let waits = world.spawn(row(Arc::clone(&backend), 5));
    world.waits_for_another_process(row(Arc::clone(&backend), 5).key()).await;
    assert_eq!(*asked.borrow(), 0, "there is nothing to find yet");
    backend.allow(1);
    assert_eq!(within(load).await.unwrap(), 1);
    within(asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap(); // it found the value

    with_cache(there, within(row(Arc::clone(&backend), 5).invalidate())).await.unwrap();
    let misses = world.cache.count(Event::MissCold);
    let after = world.spawn(row(Arc::clone(&backend), 5).with_outcome());
    eventually("it has looked", || world.cache.count(Event::MissCold) > misses).await;
    settle().await; // and waits where the other one looks
    backend.open_gate();
    open.send_replace(true);
    assert_eq!(within(waits).await.unwrap(), 1, "it came before");
    let (value, how) = within(after).await.unwrap();
    assert_eq!(value, 2, "{how:?}");
    world.is_idle().await;
}

#[cached(ttl = 10, stale_if_error = 600, reason = "a test", skip(backend))]
async fn failing(backend: Arc<Backend>, id: u32) -> Result<u32, ()> {
    let _ = id;
    backend.load().await;
    Err(())
}

/// A load has been settled in the store, but its process does not know yet; the key is invalidated;
/// a caller comes. It must run its own load.
async fn settled_but_unheard<F, R>(
    held: Held,
    call: impl Fn(Arc<Backend>) -> Call<F>,
) -> (R, R, u32)
where
    F: Future<Output = R> + Send + 'static,
    R: Send + 'static,
{
    let (world, asked, open) = late(held, Duration::from_secs(20));
    let backend = Backend::open();
    let past =
        Past { age: Duration::from_secs(60), fresh_for: Duration::from_secs(10), cost: None };
    if held == Held::Abandon {
        world.run(plant(&failing(Backend::open(), 6), Ok(7), past)).await.unwrap();
    }
    let before = world.spawn(call(Arc::clone(&backend)));
    within(asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap();
    let there = cache_on(world.server.as_ref().unwrap());
    with_cache(there, within(call(Arc::clone(&backend)).invalidate())).await.unwrap();
    let after = world.spawn(call(Arc::clone(&backend)));
    backend.started(2).await; // it did not wait for the first load
    open.send_replace(true);
    let answers = (within(before).await.unwrap(), within(after).await.unwrap(), backend.loads());
    world.is_idle().await;
    answers
}

#[tokio::test]
async fn nobody_joins_a_load_between_its_commit_and_the_news_of_it() {
    let answers = settled_but_unheard(Held::Commit, |backend| row(backend, 6)).await;
    assert_eq!(answers, (1, 2, 2));
}

/// A commit whose answer does not come may have been refused.
#[tokio::test]
async fn what_a_commit_without_an_answer_brought_is_not_for_who_came_after_an_invalidation() {
    let (world, _, open) = late(Held::Commit, Duration::from_millis(300));
    let backend = Backend::closed();
    let before = world.spawn(row(Arc::clone(&backend), 8));
    backend.started(1).await;
    let there = cache_on(world.server.as_ref().unwrap());
    with_cache(there, within(row(Arc::clone(&backend), 8).invalidate())).await.unwrap();
    let after = world.spawn(row(Arc::clone(&backend), 8));
    settle().await; // it has joined the load: no look of its own is sent
    backend.open_gate();
    assert_eq!((within(before).await.unwrap(), within(after).await.unwrap()), (1, 2));
    world.is_idle().await;
    drop(open);
}

/// Three of them in a row: the breaker that they open keeps nobody from giving them back.
#[tokio::test]
async fn leases_whose_grants_nobody_heard_are_given_back_although_no_load_begins_any_more() {
    let (world, _, open) = late(Held::Begin, Duration::from_millis(300));
    let backend = Backend::open();
    let calls = [1, 2, 3].map(|id| world.spawn(row(Arc::clone(&backend), id)));
    for call in calls {
        within(call).await.unwrap();
    }
    assert!(world.cache.is_degraded());
    world.is_idle().await; // long before the leases of a minute lapse
    drop(open);
}

#[tokio::test]
async fn nobody_joins_a_failed_load_between_its_end_and_the_news_of_it() {
    let answers = settled_but_unheard(Held::Abandon, |backend| failing(backend, 6)).await;
    assert_eq!(answers, (Ok(7), Err(()), 2));
}

#[tokio::test]
async fn without_wake_ups_waiters_look_again_by_themselves() {
    let (world, _, _open) = late(Held::Wakes, Duration::from_secs(20));
    let there = cache_on(world.server.as_ref().unwrap());
    let backend = Backend::closed();
    let load = tokio::spawn(with_cache(there, row(Arc::clone(&backend), 7)));
    backend.started(1).await;
    let crowd = world.crowd(20, || row(Arc::clone(&backend), 7));
    eventually("all have looked", || world.cache.count(Event::MissCold) == 20).await;
    backend.open_gate();
    assert_eq!(within(load).await.unwrap(), 1);
    assert_eq!(within(crowd.join_all()).await, [1; 20], "long before the lease of a minute lapses");
    assert_eq!(backend.loads(), 1);
    world.is_idle().await;
}
