use cache_core::ErrorKind;
use cache_core::store::{Committed, Store as _};
use cache_redis::RedisStore;

use crate::support::{KEY, MINUTE, SHAPE, Server, begin, entry, heard, lab};

#[tokio::test]
async fn without_channels_everything_but_listening_works() {
    let mut lab = lab().await;
    lab.raw::<()>("ACL SETUSER poor on >secret ~{shop:* resetchannels +@all").await;
    let url = format!("redis://poor:secret@127.0.0.1:{}", lab.server.port());
    lab.store = RedisStore::connect(url).unwrap();
    let load = lab.lead().await;
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    lab.store.invalidate(KEY).await.unwrap();
    for _ in 0..2 {
        let error = lab.store.subscribe(KEY).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (ErrorKind::Denied, "Redis refused: NOPERM")
        );
    }
    let error = lab.store.read("{other}", SHAPE).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
}

#[tokio::test]
async fn the_rights_in_the_docs_are_enough() {
    let mut lab = lab().await;
    let rights = "+@read +@write +@scripting +time +publish +subscribe +unsubscribe";
    lab.raw::<()>(&format!(
        "ACL SETUSER app on >secret ~{{shop:* resetchannels &{{shop:* {rights}"
    ))
    .await;
    let url = format!("redis://app:secret@127.0.0.1:{}", lab.server.port());
    lab.store = RedisStore::connect(url).unwrap();
    let mut subscription = lab.store.subscribe(KEY).await.unwrap();
    let load = lab.lead().await;
    assert!(lab.store.renew(KEY, load, MINUTE).await.unwrap());
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    heard(&mut subscription, "the change").await;
    assert_eq!(lab.read().await, Some(bytes));
}

#[tokio::test]
async fn out_of_memory_an_invalidation_still_removes() {
    let mut lab = lab().await;
    let load = lab.lead().await;
    lab.commit(load, &entry(load.begun, MINUTE, "")).await;
    lab.raw::<()>("CONFIG SET maxmemory 1").await;
    let error = lab.store.begin(KEY, crate::support::begin_anyway()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    let _ = lab.store.invalidate(KEY).await;
    assert_eq!(lab.read().await, None);
}

#[tokio::test]
async fn out_of_memory_a_commit_still_frees_its_lease() {
    let mut lab = lab().await;
    let load = lab.lead().await;
    lab.raw::<()>("CONFIG SET maxmemory 1").await;
    let bytes = entry(load.begun, MINUTE, "");
    let error = lab.store.commit(KEY, load, SHAPE, &bytes).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    lab.raw::<()>("CONFIG SET maxmemory 0").await;
    lab.lead().await;
}

#[tokio::test]
async fn a_replica_is_read_and_refuses_to_write() {
    let mut lab = lab().await;
    lab.raw::<()>("REPLICAOF 127.0.0.1 1").await;
    assert_eq!(lab.read().await, None);
    let error = lab.store.begin(KEY, begin()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::ReadOnly, "Redis refused: READONLY")
    );
}

#[tokio::test]
async fn a_value_of_another_type_under_the_key_is_not_quoted_and_gives_way() {
    let mut lab = lab().await;
    for foreign in ["SET {key} x", "LPUSH {key} x", "SADD {key} x"] {
        lab.raw::<()>(&foreign.replace("{key}", KEY)).await;
        let error = lab.store.read(KEY, SHAPE).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongType);
        assert_eq!(error.to_string(), "Redis refused: WRONGTYPE");
        assert!(!format!("{error:?}").contains("shop"));
        let load = lab.lead().await;
        let bytes = entry(load.begun, MINUTE, "");
        assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
        assert_eq!(lab.read().await, Some(bytes));
        lab.raw::<()>(&format!("DEL {KEY}")).await;
    }
    // Beside it, too.
    for part in ["gen", "lease", "mark", "load"] {
        lab.raw::<()>(&format!("HSET {KEY}:{part} a b")).await;
    }
    let load = lab.lead().await;
    assert!(lab.store.renew(KEY, load, MINUTE).await.unwrap());
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(lab.commit(load, &bytes).await, Committed::Stored);
    lab.store.invalidate(KEY).await.unwrap();
    assert_eq!(lab.read().await, None);
}

#[tokio::test]
async fn the_password_is_nowhere_to_be_seen() {
    let server = Server::start();
    let url = format!("redis://me:hunter2@127.0.0.1:{}", server.port());
    let store = RedisStore::connect(url).unwrap();
    assert!(!format!("{store:?}").contains("hunter2"));
    let mut error: Option<&dyn std::error::Error> = None;
    let refused = store.ready().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    assert!(!format!("{refused:?}").contains("hunter2"));
    error.replace(&refused);
    while let Some(cause) = error {
        assert!(!cause.to_string().contains("hunter2"));
        error = cause.source();
    }
    for bad in ["redis://me:hunter2@", "me:hunter2@host", "redis://host?protocol=hunter2"] {
        let error = RedisStore::connect(bad).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(!format!("{error:?} {error}").contains("hunter2"));
    }
}
