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
    let waiters: Vec<_> = (0..10).map(|_| tokio::spawn(permits.wait(1, LONG))).collect();
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
    let mut asleep = pin!(permits.wait(1, LONG));
    poll_fn(|cx| {
        assert!(asleep.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    drop(held); // wakes the one that is not polled
    drop(polled(permits.wait(1, LONG)).await.expect("it is free"));
    drop(asleep.await);
}

#[tokio::test]
async fn a_waiter_that_leaves_passes_its_wake_up_on() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let mut leaves = Box::pin(permits.wait(1, LONG));
    poll_fn(|cx| Poll::Ready(leaves.as_mut().poll(cx).is_pending())).await;
    let stays = tokio::spawn(permits.wait(1, LONG));
    tokio::task::yield_now().await;
    drop(held);
    drop(leaves);
    stays.await.unwrap();
}

#[tokio::test]
async fn a_newcomer_lets_those_who_wait_go_first() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let waiter = tokio::spawn(permits.wait(1, LONG));
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

const LONG: Duration = Duration::from_secs(30);

fn is_over(admitted: &Admitted) -> bool {
    matches!(admitted, Admitted::Over(_))
}

#[tokio::test(start_paused = true)]
async fn where_nothing_moves_one_more_is_let_in_at_a_time() {
    let permits = permits();
    let held = permits.try_own(1).unwrap();
    let started = Instant::now();
    let second = permits.wait(1, LONG).await;
    assert!(is_over(&second) && started.elapsed() == LONG);
    let (third, fourth) = tokio::join!(permits.wait(1, LONG), permits.wait(1, LONG));
    assert!(is_over(&third) && is_over(&fourth));
    assert_eq!(started.elapsed(), 3 * LONG, "one each time");
    drop((second, third, fourth));
    assert!(permits.try_own(1).is_none(), "what was over the number adds nothing to it");
    drop(held);
    assert!(permits.try_own(1).is_some());
}

#[tokio::test(start_paused = true)]
async fn as_long_as_loads_end_the_number_holds() {
    let permits = permits();
    let mut held = permits.try_own(1).unwrap();
    let waits = tokio::spawn(permits.wait(1, LONG));
    for _ in 0..10 {
        tokio::time::sleep(LONG / 2).await;
        let seat = held;
        drop(seat);
        held = permits.try_own(1).unwrap(); // before the waiter is polled
    }
    assert!(!waits.is_finished());
    drop(held);
    assert!(!is_over(&waits.await.unwrap()));
}
