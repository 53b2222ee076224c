use std::collections::HashSet;
use std::time::Duration;

use cache_core::store::{Committed, Load, Mark, Next, Store as _};
use cache_core::{Error, ErrorKind};
use cache_redis::RedisStore;
use tokio::time::timeout;

use crate::fleet::{Watched, allow, ask, sentinel};
use crate::server::Server;
use crate::support::{KEY, MINUTE, SHAPE, begin_anyway, entry, eventually, heard};

fn store(watched: &Watched) -> RedisStore {
    RedisStore::builder().sentinel(Watched::NAME, watched.sentinel_urls()).build().unwrap()
}

/// A load from its beginning to its end.
async fn load(store: &RedisStore) -> Result<Committed, Error> {
    let begin = begin_anyway();
    let begun = store.begin(KEY, begin).await?;
    let Next::Lead { leased, .. } = begun.next else { panic!("not led: {:?}", begun.next) };
    let token = begin.token;
    let load = Load { token, generation: begun.generation, begun: begun.time, leased };
    let committed = store.commit(KEY, load, SHAPE, &entry(load.begun, MINUTE, "")).await;
    if committed.is_err() {
        let _ = store.abandon(KEY, load, Mark::Nothing).await;
    }
    committed
}

/// The store has found the primary that there is now, and hears from it.
async fn serves_again(store: &RedisStore) {
    eventually("a load is stored", || async { matches!(load(store).await, Ok(Committed::Stored)) })
        .await;
    eventually("a change is heard", || async {
        let Ok(mut subscription) = store.subscribe(KEY).await else { return false };
        store.invalidate(KEY).await.is_ok()
            && timeout(Duration::from_millis(500), subscription.changed()).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn a_primary_that_dies_is_succeeded() {
    let mut watched = Watched::start();
    let rights = "+@read +@write +@scripting +time +role +publish +subscribe +unsubscribe";
    allow(&watched.servers, rights);
    let there = RedisStore::builder().sentinel(Watched::NAME, watched.sentinel_urls());
    // The rights in the docs are enough.
    let store = there.username("app").password("secret").build().unwrap();
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
    let mut subscription = store.subscribe(KEY).await.unwrap();
    watched.servers[0].kill();
    assert_eq!(load(&store).await.unwrap_err().kind(), ErrorKind::Unavailable);
    watched.until_succeeded(0);
    serves_again(&store).await;
    heard(&mut subscription, "the change").await;
}

#[tokio::test]
async fn a_primary_that_falls_silent_is_succeeded() {
    let watched = Watched::start();
    let store = store(&watched);
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
    watched.servers[0].pause();
    serves_again(&store).await;
    // It comes back as a replica, and nobody goes back to it.
    watched.servers[0].resume();
    watched.until_succeeded(0);
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
}

/// Sentinels may change their mind before anybody closes a connection.
#[tokio::test]
async fn a_primary_that_was_demoted_is_left_and_no_refusal_is_seen() {
    let (old, new) = (Server::start(), Server::start());
    let sentinel = sentinel(old.port());
    let store = RedisStore::builder().sentinel(Watched::NAME, [sentinel.url()]).build().unwrap();
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
    let port = new.port().to_string();
    let say = |server: &Server, words: &[&str]| ask::<()>(server, words).unwrap();
    say(&sentinel, &["SENTINEL", "REMOVE", Watched::NAME]);
    say(&sentinel, &["SENTINEL", "MONITOR", Watched::NAME, "127.0.0.1", &port, "1"]);
    say(&old, &["REPLICAOF", "127.0.0.1", &port]);
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
    let stored: Vec<String> = ask(&new, &["KEYS", KEY]).unwrap();
    assert_eq!(stored, [KEY]);
    serves_again(&store).await;
}

#[tokio::test]
async fn a_failover_on_purpose_is_followed() {
    let watched = Watched::start();
    let store = store(&watched);
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
    let before = store.scan().await.unwrap().layout;
    assert_eq!(store.scan().await.unwrap().layout, before);
    ask::<()>(&watched.sentinels[0], &["SENTINEL", "FAILOVER", Watched::NAME]).unwrap();
    let mut kinds = HashSet::new();
    while watched.primary().is_none_or(|primary| primary == 0) {
        kinds.extend(load(&store).await.err().map(|error| error.kind()));
    }
    assert!(!kinds.contains(&ErrorKind::ReadOnly), "{kinds:?}");
    serves_again(&store).await;
    let after = store.scan().await.unwrap().layout;
    assert_ne!(after, before, "what was looked through before counts no more");
}

#[tokio::test]
async fn a_replica_is_not_taken_for_the_primary() {
    let (primary, replica) = (Server::start(), Server::start());
    ask::<()>(&replica, &["REPLICAOF", "127.0.0.1", &primary.port().to_string()]).unwrap();
    let sentinel = sentinel(replica.port());
    let store = RedisStore::builder().sentinel(Watched::NAME, [sentinel.url()]).build().unwrap();
    let error = store.ready().await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "the sentinels named a replica");
}

#[tokio::test]
async fn one_sentinel_of_three_is_enough() {
    let mut watched = Watched::start();
    watched.sentinels[0].kill();
    watched.sentinels[1].pause();
    let store = store(&watched);
    store.ready().await.unwrap();
    assert_eq!(load(&store).await.unwrap(), Committed::Stored);
    watched.sentinels[1].resume();
}

#[tokio::test]
async fn a_name_that_no_sentinel_knows_is_said() {
    let watched = Watched::start();
    let store = RedisStore::builder().sentinel("other", watched.sentinel_urls()).build().unwrap();
    let error = store.ready().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "Redis at the primary of other cannot be reached");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(cause, "a sentinel knows no primary called other");
}
