use std::time::Duration;

use cache_core::store::{Committed, Mark, Replacement, Store as _, Subscription};
use cache_redis::RedisStore;
use tokio::time::timeout;

use crate::support::{
    KEY, Lab, MINUTE, SHAPE, begin_anyway, entry, eventually, heard, lab, raw, topology,
};

/// Not only is it heard, but once.
async fn heard_once(subscription: &mut Subscription, what: &str) {
    heard(subscription, what).await;
    let more = timeout(Duration::from_millis(100), subscription.changed()).await;
    assert!(more.is_err(), "{what} was heard twice");
}

async fn listeners(lab: &Lab) -> i64 {
    let mut redis = lab.redis.clone();
    let sharded = if topology() == "cluster" { "SHARD" } else { "" };
    let ask = format!("PUBSUB {sharded}NUMSUB {KEY}:wake");
    let (_, count): (String, i64) = raw(&mut redis, &ask).await;
    count
}

#[tokio::test]
async fn every_end_of_a_load_and_every_change_is_heard() {
    let lab = lab().await;
    let store = &lab.store;
    let mut subscription = store.subscribe(KEY).await.unwrap();

    let load = lab.lead().await;
    let bytes = entry(load.begun, MINUTE, "");
    lab.commit(load, &bytes).await;
    heard_once(&mut subscription, "commit").await;
    let (load, _) = lab.load(begin_anyway()).await;
    store.abandon(KEY, load, Mark::Nothing).await.unwrap();
    heard_once(&mut subscription, "abandon").await;
    store.invalidate(KEY).await.unwrap();
    heard_once(&mut subscription, "invalidate").await;
    lab.commit(load, &bytes).await;
    heard_once(&mut subscription, "a refused commit").await;
    store.prime(KEY, SHAPE, &bytes).await.unwrap();
    heard_once(&mut subscription, "prime").await;
    assert!(!store.replace(KEY, &[]).await.unwrap());
    store.invalidate("{another}").await.unwrap();
    let other = timeout(Duration::from_millis(100), subscription.changed()).await;
    assert!(other.is_err(), "nothing changed under this key");
}

#[tokio::test]
async fn subscriptions_share_a_channel_and_the_last_one_leaves() {
    let lab = lab().await;
    let mut first = lab.store.subscribe(KEY).await.unwrap();
    let second = lab.store.clone().subscribe(KEY).await.unwrap();
    assert_eq!(listeners(&lab).await, 1);
    drop(second);
    lab.store.invalidate(KEY).await.unwrap();
    heard_once(&mut first, "invalidate").await;
    assert_eq!(listeners(&lab).await, 1);
    drop(first);
    eventually("unsubscribed", || async { listeners(&lab).await == 0 }).await;
    // Left and joined again: confirmed by the server each time.
    for _ in 0..20 {
        let _subscription = lab.store.subscribe(KEY).await.unwrap();
        assert_eq!(listeners(&lab).await, 1);
    }
}

#[tokio::test]
async fn a_broken_connection_wakes_everybody_and_listens_again() {
    let mut lab = lab().await;
    let mut subscription = lab.store.subscribe(KEY).await.unwrap();
    lab.raw::<()>("CLIENT KILL TYPE pubsub").await;
    heard_once(&mut subscription, "the gap").await;
    assert_eq!(listeners(&lab).await, 1);
    lab.store.invalidate(KEY).await.unwrap();
    heard_once(&mut subscription, "invalidate").await;
}

#[tokio::test]
async fn a_caller_who_leaves_early_leaves_no_subscription() {
    let lab = lab().await;
    lab.store.ready().await.unwrap();
    for _ in 0..50 {
        let _ = timeout(Duration::ZERO, lab.store.subscribe(KEY)).await;
    }
    let other = lab.store.subscribe("{another}").await;
    assert!(other.is_ok());
    eventually("unsubscribed", || async { listeners(&lab).await == 0 }).await;
}

#[tokio::test]
async fn the_newer_protocol_works_as_well() {
    let mut lab = lab().await;
    lab.store = RedisStore::connect(format!("{}/?protocol=resp3", lab.server.url())).unwrap();
    let mut subscription = lab.store.subscribe(KEY).await.unwrap();
    let load = lab.lead().await;
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    heard_once(&mut subscription, "commit").await;
    let field = SHAPE.to_string().into_bytes();
    assert_eq!(lab.store.read_all(KEY).await.unwrap(), [(field.clone(), bytes.clone())]);
    let same = Replacement { field, old: bytes.clone(), new: bytes };
    assert!(lab.store.replace(KEY, &[same]).await.unwrap());
    heard_once(&mut subscription, "replace").await;
}
