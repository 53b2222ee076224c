use std::net::TcpListener;
use std::time::Duration;

use cache_core::ErrorKind;
use cache_core::store::Store as _;
use cache_redis::RedisStore;
use tokio::time::timeout;

use crate::support::{KEY, SHAPE, Server, eventually, heard, lab, raw};

async fn kind(store: &RedisStore) -> Option<ErrorKind> {
    store.read(KEY, SHAPE).await.err().map(|error| error.kind())
}

async fn works_again(store: &RedisStore) {
    eventually("working again", || async { kind(store).await.is_none() }).await;
}

#[tokio::test]
async fn a_dead_server_fails_commands_at_once_and_a_new_one_is_found() {
    let mut lab = lab().await;
    lab.store.ready().await.unwrap();
    let mut subscription = lab.store.subscribe(KEY).await.unwrap();
    lab.server.kill();
    for _ in 0..1000 {
        assert_eq!(kind(&lab.store).await, Some(ErrorKind::Unavailable));
    }
    assert!(lab.store.ready().await.is_err());
    assert!(lab.store.subscribe(KEY).await.is_err());
    lab.server.restart();
    works_again(&lab.store).await;
    // The listener has come back too, and said that it may have missed something.
    heard(&mut subscription, "the change").await;
    lab.store.invalidate(KEY).await.unwrap();
    heard(&mut subscription, "the change").await;
}

/// The next connection may be to another server, whose keys are in another order.
#[tokio::test]
async fn a_look_at_all_keys_loses_its_place_with_the_connection() {
    let mut lab = lab().await;
    let mut pipe = redis::pipe();
    for one in 0..5000 {
        pipe.cmd("SET").arg(one).arg("x").ignore();
    }
    pipe.exec_async(&mut lab.redis).await.unwrap();
    lab.store.ready().await.unwrap();
    let first = lab.store.scan().await.unwrap().primaries.remove(0);
    let begun = lab.store.scan_on("", &first).await.unwrap().next.unwrap();
    let second = lab.store.scan_on("", &begun).await.unwrap().next.unwrap();
    lab.raw::<()>("CLIENT KILL TYPE normal SKIPME yes").await;
    let gone = |error: ErrorKind| matches!(error, ErrorKind::Unavailable | ErrorKind::Moved);
    assert!(lab.store.scan_on("", &second).await.is_err_and(|error| gone(error.kind())));
    works_again(&lab.store).await;
    let error = lab.store.scan_on("", &second).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Moved);
    assert!(lab.store.scan_on("", &first).await.is_ok(), "the beginning is the same for all");
}

#[tokio::test]
async fn a_silent_server_is_given_up_after_three_commands_and_found_again() {
    let lab = lab().await;
    lab.store.ready().await.unwrap();
    lab.server.pause();
    for _ in 0..3 {
        let dropped = timeout(Duration::from_millis(150), lab.store.read(KEY, SHAPE)).await;
        assert!(dropped.is_err(), "{dropped:?}");
    }
    for _ in 0..1000 {
        assert_eq!(kind(&lab.store).await, Some(ErrorKind::Unavailable));
    }
    lab.server.resume();
    works_again(&lab.store).await;
}

#[tokio::test]
async fn an_answer_ends_the_count_of_unanswered_commands() {
    let lab = lab().await;
    lab.store.ready().await.unwrap();
    for _ in 0..4 {
        lab.server.pause();
        let dropped = timeout(Duration::from_millis(150), lab.store.read(KEY, SHAPE)).await;
        assert!(dropped.is_err(), "{dropped:?}");
        lab.server.resume();
        assert_eq!(kind(&lab.store).await, None);
    }
}

#[tokio::test]
async fn a_store_without_a_caller_deadline_has_its_own() {
    let lab = lab().await;
    lab.store.ready().await.unwrap();
    lab.server.pause();
    let read = timeout(Duration::from_secs(10), kind(&lab.store)).await;
    assert_eq!(read, Ok(Some(ErrorKind::Timeout)));
    lab.server.resume();
}

#[tokio::test]
async fn a_reply_nobody_waits_for_goes_to_nobody_else() {
    let lab = lab().await;
    lab.store.invalidate(KEY).await.unwrap();
    for _ in 0..200 {
        let _ = timeout(Duration::ZERO, lab.store.read_all(KEY)).await;
        let _ = timeout(Duration::ZERO, lab.store.invalidate(KEY)).await;
        assert_eq!(lab.read().await, None);
    }
}

#[tokio::test]
async fn a_server_that_comes_after_the_store_is_found() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let store = RedisStore::connect(("127.0.0.1", port)).unwrap();
    assert_eq!(store.ready().await.unwrap_err().kind(), ErrorKind::Unavailable);
    for _ in 0..1000 {
        assert_eq!(kind(&store).await, Some(ErrorKind::Unavailable));
    }
    let server = Server::start_on(port);
    works_again(&store).await;
    assert_eq!(server.port(), port);
}

#[tokio::test]
async fn a_break_without_traffic_heals_without_traffic() {
    let lab = lab().await;
    lab.store.ready().await.unwrap();
    let mut redis = lab.redis.clone();
    raw::<()>(&mut redis, "CLIENT KILL TYPE normal SKIPME yes").await;
    eventually("connected anew", || async {
        let mut redis = lab.redis.clone();
        let clients: String = raw(&mut redis, "CLIENT LIST TYPE normal").await;
        clients.lines().filter(|client| client.contains("cmd=time")).count() == 1
    })
    .await;
    // Its first answer is in, so the link is up as soon as the healer has looked.
    works_again(&lab.store).await;
}

#[tokio::test]
async fn a_hit_is_one_command() {
    let lab = lab().await;
    for _ in 0..1000 {
        assert_eq!(lab.read().await, None);
    }
    let mut redis = lab.redis.clone();
    let stats: String = raw(&mut redis, "INFO commandstats").await;
    let calls = |command: &str| {
        let line = stats.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:")));
        line.map(|line| line.split(['=', ',']).nth(1).unwrap().to_owned())
    };
    assert_eq!(calls("hget").as_deref(), Some("1000"));
    assert_eq!(calls("evalsha"), None);
}
