use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::*;

const LONG: Duration = Duration::from_secs(30);

/// Of a function.
fn caps(number: usize) -> Caps {
    Caps::new(Some(Arc::new(Permits::new(number))), None)
}

/// The same function's, in a cache with a number of its own.
fn within(function: &Caps, cache: &Arc<Permits>) -> Caps {
    let function = function.each().next().cloned();
    Caps::new(function, Some(Arc::clone(cache)))
}

async fn wait(caps: &Caps) -> Admitted {
    caps.wait(LONG).await
}

fn is_over(admitted: &Admitted) -> bool {
    matches!(admitted, Admitted::Over(_))
}

fn waiting(caps: &Caps) -> usize {
    caps.each().map(|permits| permits.waiting.load(Ordering::Relaxed)).sum()
}

fn spawn(caps: &Caps) -> tokio::task::JoinHandle<Admitted> {
    let caps = caps.clone();
    tokio::spawn(async move { wait(&caps).await })
}

fn nesting(pass: &Pass) -> Nesting {
    Nesting::here(Loading { function: "f", cache: 1, key: "k".into() }, pass)
}

/// Polls once.
async fn polled<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| {
        Poll::Ready(match future.as_mut().poll(cx) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

#[test]
fn a_permit_comes_back_with_the_last_load_that_runs_on_it() {
    let caps = caps(2);
    let (one, two) = (caps.try_own().unwrap(), caps.try_own().unwrap());
    assert!(caps.try_own().is_none());
    let shared = one.clone();
    drop(one);
    assert!(caps.try_own().is_none());
    drop(shared);
    assert!(caps.try_own().is_some());
    drop(two);
}

#[tokio::test]
async fn a_waiter_is_woken_by_a_permit_that_comes_back() {
    let caps = caps(1);
    let held = caps.try_own().unwrap();
    let mut waiters = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let caps = caps.clone();
        waiters.spawn(async move { drop(wait(&caps).await) });
    }
    tokio::task::yield_now().await;
    assert_eq!(waiting(&caps), 10);
    drop(held);
    waiters.join_all().await;
    assert_eq!(waiting(&caps), 0);
}

#[tokio::test]
async fn a_waiter_that_is_not_polled_keeps_nothing() {
    let caps = caps(1);
    let held = caps.try_own().unwrap();
    let mut asleep = pin!(wait(&caps));
    poll_fn(|cx| {
        assert!(asleep.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    drop(held); // wakes the one that is not polled
    drop(polled(wait(&caps)).await.expect("it is free"));
    drop(asleep.await);
}

#[tokio::test]
async fn a_waiter_that_leaves_passes_its_wake_up_on() {
    let caps = caps(1);
    let held = caps.try_own().unwrap();
    let mut leaves = Box::pin(wait(&caps));
    poll_fn(|cx| Poll::Ready(leaves.as_mut().poll(cx).is_pending())).await;
    let stays = spawn(&caps);
    tokio::task::yield_now().await;
    drop(held);
    drop(leaves);
    stays.await.unwrap();
}

/// The order in which so many waiters get a permit.
async fn served(waiters: usize) -> Vec<usize> {
    let caps = caps(1);
    let held = caps.try_own().unwrap();
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut crowd = tokio::task::JoinSet::new();
    for waiter in 0..waiters {
        let (caps, served) = (caps.clone(), Arc::clone(&served));
        crowd.spawn(async move {
            let _pass = wait(&caps).await;
            served.lock().unwrap().push(waiter);
        });
    }
    tokio::task::yield_now().await;
    drop(held);
    crowd.join_all().await;
    served.lock().unwrap().clone()
}

#[tokio::test]
async fn while_few_wait_the_first_to_come_goes_first() {
    assert_eq!(served(4).await, [0, 1, 2, 3]);
}

#[tokio::test]
async fn while_many_wait_the_last_to_come_goes_first() {
    assert_eq!(served(7).await, [6, 5, 4, 0, 1, 2, 3]);
}

#[tokio::test]
async fn a_newcomer_lets_those_who_wait_go_first() {
    let caps = caps(1);
    let held = caps.try_own().unwrap();
    let waiter = spawn(&caps);
    tokio::task::yield_now().await;
    drop(held);
    assert!(caps.take().await.is_none());
    drop(waiter.await.unwrap());
    assert!(caps.take().await.is_some());
}

#[test]
fn a_load_started_inside_another_one_runs_on_its_permit() {
    let (ours, others) = (caps(1), caps(1));
    let pass = ours.try_own().unwrap();
    assert!(!ours.have_outer());
    let load = nesting(&pass);
    {
        let _polled = load.enter();
        assert!(ours.have_outer() && !others.have_outer());
        let own = others.try_own().unwrap();
        let through_another = nesting(&own);
        let _polled = through_another.enter();
        assert!(ours.have_outer() && others.have_outer());
        let unlimited = nesting(&Pass::default());
        let _polled = unlimited.enter();
        assert!(ours.have_outer() && others.have_outer());
    }
    assert!(!ours.have_outer());
    drop(pass);
    let _polled = load.enter();
    assert!(!ours.have_outer(), "the outer load is over: its permit is somebody else's");
}

#[test]
fn what_was_polled_before_is_put_back_on_a_panic_too() {
    let caps = caps(1);
    let pass = caps.try_own().unwrap();
    let load = nesting(&pass);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _polled = load.enter();
        panic!("a loader");
    }));
    assert!(panic.is_err() && !caps.have_outer());
}

#[tokio::test(start_paused = true)]
async fn where_nothing_moves_one_more_is_let_in_at_a_time() {
    let caps = caps(1);
    let held = caps.try_own().unwrap();
    let started = Instant::now();
    let second = wait(&caps).await;
    assert!(is_over(&second) && started.elapsed() == LONG);
    let (third, fourth) = tokio::join!(wait(&caps), wait(&caps));
    assert!(is_over(&third) && is_over(&fourth));
    assert_eq!(started.elapsed(), 3 * LONG, "one each time");
    drop((second, third, fourth));
    assert!(caps.try_own().is_none(), "what was over the number adds nothing to it");
    drop(held);
    assert!(caps.try_own().is_some());
}

#[tokio::test(start_paused = true)]
async fn as_long_as_loads_end_the_number_holds() {
    let caps = caps(1);
    let mut held = caps.try_own();
    let waits = spawn(&caps);
    for _ in 0..10 {
        tokio::time::sleep(LONG / 2).await;
        drop(held.take());
        held = caps.try_own(); // before the waiter is polled
    }
    assert!(!waits.is_finished());
    drop(held);
    assert!(!is_over(&waits.await.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn who_lacks_one_of_two_holds_neither() {
    let (cache, function) = (Arc::new(Permits::new(1)), caps(1));
    let both = within(&function, &cache);
    let elsewhere = within(&caps(1), &cache).try_own().unwrap();
    let waits = spawn(&both);
    tokio::task::yield_now().await;
    let alone = function.try_own().expect("the waiter has not taken it");
    drop(elsewhere);
    tokio::task::yield_now().await;
    assert!(!waits.is_finished() && cache.has_free(), "now the other one is lacking");
    drop(alone);
    assert!(!is_over(&waits.await.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn over_the_number_of_one_is_within_that_of_the_other() {
    let (cache, function) = (Arc::new(Permits::new(2)), caps(1));
    let both = within(&function, &cache);
    let _held = both.try_own().unwrap();
    let more = wait(&both).await;
    assert!(is_over(&more) && !cache.has_free());
    drop(more);
    assert!(cache.has_free() && function.try_own().is_none());
}

#[test]
fn a_call_inside_the_load_of_its_own_key_is_a_cycle() {
    let loading = |function, cache, key: &str| Loading { function, cache, key: key.into() };
    let load = |loading| Nesting::here(loading, &Pass::default());
    let called = loading("f", 1, "k");
    assert_eq!(cycle(&called), None);
    let _top = load(loading("top", 1, "t")).enter();
    let _f = load(loading("f", 1, "k")).enter();
    let _g = load(loading("g", 1, "k2")).enter();
    assert_eq!(cycle(&called).unwrap(), ["f", "g", "f"]);
    assert_eq!(cycle(&loading("f", 2, "k")), None, "in another cache");
    assert_eq!(cycle(&loading("f", 1, "k3")), None, "another key");
}
