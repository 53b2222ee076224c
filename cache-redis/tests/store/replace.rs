use std::time::Duration;

use cache_core::store::{Committed, Replacement, Shape, Store as _};

use crate::support::{KEY, Lab, MINUTE, SHAPE, begin_anyway, entry, lab};

const HOUR: Duration = Duration::from_secs(3600);

/// One entry there, a load of the next one running, and what would replace the entry.
async fn one_there(lab: &Lab) -> (cache_core::store::Load, Vec<Replacement>) {
    let load = lab.lead().await;
    let old = entry(load.begun, MINUTE, "old");
    assert_eq!(lab.commit(load, &old).await, Committed::Stored);
    let new = entry(load.begun, HOUR, "new");
    let (running, _) = lab.load(begin_anyway()).await;
    (running, vec![Replacement { field: SHAPE.to_string().into_bytes(), old, new }])
}

#[tokio::test]
async fn unchanged_entries_are_replaced_and_running_loads_refused() {
    let mut lab = lab().await;
    let (running, fields) = one_there(&lab).await;
    assert!(lab.store.replace(KEY, &fields).await.unwrap());
    assert_eq!(lab.read().await.as_ref(), Some(&fields[0].new));
    let end: u64 = lab.raw(&format!("PEXPIRETIME {KEY}")).await;
    assert_eq!(end.to_le_bytes(), fields[0].new[8..16]);

    assert!(lab.load(begin_anyway()).await.1, "the lease is gone");
    let bytes = entry(running.begun, MINUTE, "");
    assert_eq!(lab.commit(running, &bytes).await, Committed::Superseded);
}

#[tokio::test]
async fn nothing_is_replaced_once_something_changed() {
    let mut lab = lab().await;
    let (running, fields) = one_there(&lab).await;
    let added = entry(running.begun, MINUTE, "added");
    lab.plant(Shape(2), &added).await;
    assert!(!lab.store.replace(KEY, &fields).await.unwrap(), "a field was added");
    lab.raw::<()>(&format!("HDEL {KEY} {}", Shape(2))).await;

    let newer = entry(running.begun, MINUTE, "newer");
    assert_eq!(lab.commit(running, &newer).await, Committed::Stored, "the generation still stands");
    assert!(!lab.store.replace(KEY, &fields).await.unwrap(), "the entry is another");
    assert_eq!(lab.read().await, Some(newer));

    lab.store.invalidate(KEY).await.unwrap();
    assert!(!lab.store.replace(KEY, &fields).await.unwrap(), "the entry is gone");
    assert_eq!(lab.read().await, None);
}

#[tokio::test]
async fn priming_removes_what_was_there_and_refuses_running_loads() {
    let mut lab = lab().await;
    let (running, _) = one_there(&lab).await;
    lab.plant(Shape(2), &entry(running.begun, HOUR, "other shape")).await;
    let primed = entry(running.begun, MINUTE, "primed");
    lab.store.prime(KEY, SHAPE, &primed).await.unwrap();
    let all = lab.store.read_all(KEY).await.unwrap();
    assert_eq!(all, [(SHAPE.to_string().into_bytes(), primed.clone())]);
    let end: u64 = lab.raw(&format!("PEXPIRETIME {KEY}")).await;
    assert_eq!(end.to_le_bytes(), primed[8..16]);
    assert_eq!(lab.commit(running, &primed).await, Committed::Superseded);
}
