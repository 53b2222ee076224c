use std::collections::HashSet;
use std::time::Duration;

use cache_core::store::{Begin, Committed, Load, Next, Shape, Store as _};

use crate::support::{KEY, MINUTE, SHAPE, begin, begin_anyway, entry, lab};

#[tokio::test]
async fn what_is_committed_is_read_and_answers_who_begins() {
    let lab = lab().await;
    let load = lab.lead().await;
    // Bytes of every value: nothing on the way may take them for text.
    let mut bytes = entry(load.begun, MINUTE, "");
    bytes.extend(0..=255);
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    assert_eq!(lab.read().await.as_ref(), Some(&bytes));
    let all = lab.store.read_all(KEY).await.unwrap();
    assert_eq!(all, [(SHAPE.to_string().into_bytes(), bytes.clone())]);

    let older = Begin { after: load.begun.before(Duration::from_micros(1)), ..begin() };
    assert!(matches!(lab.begin(older).await.next, Next::Entry(read) if read == bytes));
    let same = Begin { after: load.begun, ..begin() };
    assert!(lab.load(same).await.1, "the entry the caller saw is no answer, and the lease is free");
}

#[tokio::test]
async fn a_commit_after_an_invalidation_is_refused() {
    let lab = lab().await;
    let load = lab.lead().await;
    lab.store.invalidate(KEY).await.unwrap();
    let next = lab.lead().await;
    let bytes = entry(load.begun, MINUTE, "old");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Superseded);
    assert_eq!(lab.read().await, None);
    // The lease of whoever came since is not the refused one's to free.
    assert!(matches!(lab.begin(begin()).await.next, Next::Held { by, .. } if by == next.token));
}

#[tokio::test]
async fn a_load_longer_ago_than_a_generation_lives_is_refused() {
    let lab = lab().await;
    let load = lab.lead().await;
    let old = |secs| Load { begun: load.begun.before(Duration::from_secs(secs)), ..load };
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(old(601), &bytes).await, Committed::TooLate);
    assert_eq!(lab.read().await, None);
    assert_eq!(lab.commit(old(590), &bytes).await, Committed::Stored);
}

#[tokio::test]
async fn the_load_that_began_later_stays() {
    let lab = lab().await;
    let (first, _) = lab.load(Begin { exclusive: false, ..begin() }).await;
    let (second, _) = lab.load(Begin { exclusive: false, ..begin() }).await;
    assert!(first.begun < second.begun);
    let [one, two] = [first, second].map(|load| entry(load.begun, MINUTE, "value"));

    assert_eq!(lab.commit(second, &two).await, Committed::Stored);
    assert_eq!(lab.commit(first, &one).await, Committed::Older);
    assert_eq!(lab.read().await, Some(two));

    let (third, _) = lab.load(begin_anyway()).await;
    let three = entry(third.begun, MINUTE, "value");
    assert_eq!(lab.commit(third, &three).await, Committed::Stored);
    assert_eq!(lab.read().await, Some(three));
}

#[tokio::test]
async fn a_stamp_over_a_second_ahead_counts_as_absent() {
    let mut lab = lab().await;
    lab.store.ready().await.unwrap();
    let ahead = entry(lab.store.now().after(Duration::from_secs(30)), MINUTE, "ahead");
    lab.plant(SHAPE, &ahead).await;
    let load = lab.lead().await;
    let bytes = entry(load.begun, MINUTE, "mine");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);

    let a_little = entry(lab.store.now().after(Duration::from_millis(500)), MINUTE, "ahead");
    lab.plant(SHAPE, &a_little).await;
    assert!(matches!(lab.begin(begin()).await.next, Next::Entry(read) if read == a_little));
}

#[tokio::test]
async fn what_is_over_or_foreign_counts_as_absent() {
    let mut lab = lab().await;
    lab.store.ready().await.unwrap();
    let now = lab.store.now();
    let over = entry(now.before(MINUTE), Duration::from_secs(59), "over");
    let foreign = vec![b'x'; 200];
    let short = entry(now, MINUTE, "")[..111].to_vec();
    for bytes in [over, foreign, short] {
        lab.plant(SHAPE, &bytes).await;
        let (load, leased) = lab.load(begin()).await;
        assert!(leased);
        lab.store.abandon(KEY, load, cache_core::store::Mark::Nothing).await.unwrap();
    }
}

#[tokio::test]
async fn other_shapes_stay_until_their_end_and_the_key_until_the_latest() {
    let mut lab = lab().await;
    lab.store.ready().await.unwrap();
    let now = lab.store.now();
    let hour = Duration::from_secs(3600);
    lab.plant(Shape(2), &entry(now.before(hour), MINUTE, "over")).await;
    lab.plant(Shape(3), &entry(now, hour, "lasting")).await;
    lab.plant(Shape(4), b"no entry of ours").await;

    let load = lab.lead().await;
    assert_eq!(lab.commit(load, &entry(load.begun, MINUTE, "")).await, Committed::Stored);
    let fields: HashSet<String> = lab.raw(&format!("HKEYS {KEY}")).await;
    assert_eq!(fields, HashSet::from([SHAPE.to_string(), Shape(3).to_string()]));
    let end: u64 = lab.raw(&format!("PEXPIRETIME {KEY}")).await;
    assert_eq!(end, now.after(hour).as_micros() / 1000);
}

#[tokio::test]
async fn a_commit_outlives_a_script_flush() {
    let mut lab = lab().await;
    let load = lab.lead().await;
    lab.raw::<()>("SCRIPT FLUSH").await;
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    assert_eq!(lab.read().await, Some(bytes));
}
