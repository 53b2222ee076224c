//! A cluster of which one part fails: the others do not notice.

use std::collections::HashSet;
use std::sync::Arc;

use herdless::{Cache, Event, Kind, RedisStore};

use crate::backend::Backend;
use crate::fleet::{Cluster, ask as ask_server};
use crate::outage::{ask, row, until_it_is_back};

const KEYS: u32 = 60;

#[tokio::test]
async fn only_the_keys_of_a_primary_that_is_silent_are_affected() {
    let cluster = Cluster::start();
    let store = RedisStore::builder().cluster(cluster.urls()).build().unwrap();
    let cache = Cache::builder().store(store).namespace("test").build();
    let backend = Backend::open();
    for id in 0..KEYS {
        ask(&cache, &backend, id).await;
    }
    let stored: HashSet<String> = ask_server::<Vec<String>>(&cluster.servers[0], &["KEYS", "*"])
        .unwrap()
        .into_iter()
        .collect();
    let key = |id| cache.redis_key(row(Arc::clone(&backend), id).key());
    let (theirs, others): (Vec<u32>, Vec<u32>) =
        (0..KEYS).partition(|&id| stored.contains(&key(id)));
    assert!(theirs.len() > 5 && others.len() > 5, "{theirs:?}");

    cluster.servers[0].pause();
    let loads = backend.loads();
    for _ in 0..3 {
        for &id in &theirs {
            ask(&cache, &backend, id).await;
        }
        for &id in &others {
            let (value, how) = ask(&cache, &backend, id).await;
            assert_eq!((value, how.kind, how.degraded), (id + 1, Kind::Hit, false));
        }
    }
    assert!(backend.loads() - loads <= u32::try_from(theirs.len()).unwrap());
    assert_eq!(cache.count(Event::BreakerOpened), 1);
    cluster.servers[0].resume();
    until_it_is_back(&cache).await;
}
