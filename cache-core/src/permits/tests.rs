use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

fn permits() -> &'static Permits {
    Box::leak(Box::new(Permits::new()))
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
    let permits = permits();
    let (one, two) = (permits.try_own(2).unwrap(), permits.try_own(2).unwrap());
    assert!(permits.try_own(2).is_none());
    let shared = one.clone();
    drop(one);
    assert!(permits.try_own(2).is_none());
    drop(shared);
    assert!(permits.try_own(2).is_some());
    drop(two);
}

#[tokio::test]
async fn a_waiter_is_woken_by_a_permit_that_comes_back() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let waiters: Vec<_> = (0..10).map(|_| tokio::spawn(permits.wait(1))).collect();
    tokio::task::yield_now().await;
    assert_eq!(permits.waiting.load(Ordering::Relaxed), 10);
    drop(held);
    for waiter in waiters {
        waiter.await.unwrap(); // and drops its own
    }
    assert_eq!(permits.waiting.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_waiter_that_is_not_polled_keeps_nothing() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let mut asleep = pin!(permits.wait(1));
    poll_fn(|cx| {
        assert!(asleep.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    drop(held); // wakes the one that is not polled
    drop(polled(permits.wait(1)).await.expect("it is free"));
    drop(asleep.await);
}

#[tokio::test]
async fn a_waiter_that_leaves_passes_its_wake_up_on() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let mut leaves = Box::pin(permits.wait(1));
    poll_fn(|cx| Poll::Ready(leaves.as_mut().poll(cx).is_pending())).await;
    let stays = tokio::spawn(permits.wait(1));
    tokio::task::yield_now().await;
    drop(held);
    drop(leaves);
    stays.await.unwrap();
}

#[tokio::test]
async fn a_newcomer_lets_those_who_wait_go_first() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let waiter = tokio::spawn(permits.wait(1));
    tokio::task::yield_now().await;
    drop(held);
    assert!(permits.take(1).await.is_none());
    drop(waiter.await.unwrap());
    assert!(permits.take(1).await.is_some());
}

#[test]
fn a_load_started_inside_another_one_runs_on_its_permit() {
    let (permits, others) = (permits(), permits());
    let permit = permits.try_own(1).unwrap();
    assert!(permits.outer().is_none());
    let load = Nesting::here(Some(&permit));
    {
        let _polled = load.enter();
        assert!(permits.outer().is_some());
        assert!(others.outer().is_none());
        let own = others.try_own(1).unwrap();
        let through_another = Nesting::here(Some(&own));
        let _polled = through_another.enter();
        assert!(permits.outer().is_some() && others.outer().is_some());
        let unlimited = Nesting::here(None);
        let _polled = unlimited.enter();
        assert!(permits.outer().is_some() && others.outer().is_some());
    }
    assert!(permits.outer().is_none());
    drop(permit);
    let _polled = load.enter();
    assert!(permits.outer().is_none(), "the outer load is over: its permit is somebody else's");
}

#[test]
fn what_was_polled_before_is_put_back_on_a_panic_too() {
    let permits = permits();
    let permit = permits.try_own(1).unwrap();
    let load = Nesting::here(Some(&permit));
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _polled = load.enter();
        panic!("a loader");
    }));
    assert!(panic.is_err() && permits.outer().is_none());
}
