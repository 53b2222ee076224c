use std::time::Duration;

use cache_core::store::{Committed, Mark, Next, Store as _};

use crate::support::{KEY, Lab, MINUTE, begin, entry, lab, refresh};

const FAILED: Mark = Mark::Failed { first: Duration::from_secs(10), most: Duration::from_secs(25) };

/// Seconds, rounded up, for which a refresh is sent away.
async fn failing(lab: &Lab) -> u64 {
    match lab.begin(refresh()).await.next {
        Next::Failing(left) => u64::try_from(left.as_millis().div_ceil(1000)).unwrap(),
        next => panic!("{next:?}"),
    }
}

async fn fail(lab: &Lab) {
    let (load, _) = lab.load(begin()).await;
    lab.store.abandon(KEY, load, FAILED).await.unwrap();
}

#[tokio::test]
async fn a_failure_sends_refreshes_away_and_unlocks_the_rest() {
    let lab = lab().await;
    fail(&lab).await;
    assert_eq!(failing(&lab).await, 10);
    for _ in 0..2 {
        assert!(!lab.load(begin()).await.1, "nobody waits for a lease under a marker");
    }
}

#[tokio::test]
async fn failures_in_a_row_double_up_to_the_most() {
    let lab = lab().await;
    for expected in [10, 20, 25, 25] {
        fail(&lab).await;
        assert_eq!(failing(&lab).await, expected);
    }
}

#[tokio::test]
async fn a_marker_is_counted_on_but_stands_no_more_after_its_time() {
    let mut lab = lab().await;
    lab.raw::<()>(&format!("SET {KEY}:mark f:1:1000000:1000000:1000000 PX 60000")).await;
    let load = lab.lead().await;
    lab.store.abandon(KEY, load, FAILED).await.unwrap();
    assert_eq!(failing(&lab).await, 20);
    let left: u64 = lab.raw(&format!("PTTL {KEY}:mark")).await;
    assert!((60_000..=80_000).contains(&left), "outlives its 20 s: {left}");
}

#[tokio::test]
async fn a_stored_value_and_an_invalidation_clear_the_marker() {
    let lab = lab().await;
    fail(&lab).await;
    let (load, _) = lab.load(begin()).await;
    assert_eq!(lab.commit(load, &entry(load.begun, MINUTE, "")).await, Committed::Stored);
    let (load, leased) = lab.load(refresh()).await;
    assert!(leased);

    lab.store.abandon(KEY, load, FAILED).await.unwrap();
    assert_eq!(failing(&lab).await, 10, "the row of failures has begun anew");
    lab.store.invalidate(KEY).await.unwrap();
    lab.lead().await;
}

#[tokio::test]
async fn an_unstored_value_unlocks_and_sends_refreshes_away() {
    let lab = lab().await;
    let load = lab.lead().await;
    lab.store.abandon(KEY, load, Mark::Unstored(Duration::from_secs(10))).await.unwrap();
    assert!(!lab.load(begin()).await.1);
    assert_eq!(failing(&lab).await, 10);
}

#[tokio::test]
async fn a_failure_keeps_refreshes_away_for_longer_than_it_unlocks() {
    let mut lab = lab().await;
    let (past, ahead) = (1_000_000, u64::MAX >> 12);
    lab.raw::<()>(&format!("SET {KEY}:mark f:5:{past}:{past}:{ahead} PX 60000")).await;
    assert!(lab.load(begin()).await.1, "the lease is asked for again");
    assert!(matches!(lab.begin(refresh()).await.next, Next::Failing(_)));
}

#[tokio::test]
async fn loads_that_failed_side_by_side_are_one_failure() {
    let lab = lab().await;
    fail(&lab).await;
    let side_by_side =
        [lab.load(begin()).await.0, lab.load(begin()).await.0, lab.load(begin()).await.0];
    for load in side_by_side {
        lab.store.abandon(KEY, load, FAILED).await.unwrap();
    }
    assert_eq!(failing(&lab).await, 20, "the second round, whatever its size");
}

#[tokio::test]
async fn under_another_generation_no_marker_is_left_nor_cleared() {
    let lab = lab().await;
    let old = lab.lead().await;
    lab.store.invalidate(KEY).await.unwrap();
    lab.store.abandon(KEY, old, FAILED).await.unwrap();
    let load = lab.lead().await;

    lab.store.abandon(KEY, load, FAILED).await.unwrap();
    let bytes = entry(old.begun, MINUTE, "");
    assert_eq!(lab.commit(old, &bytes).await, Committed::Superseded);
    assert_eq!(failing(&lab).await, 10);
}
