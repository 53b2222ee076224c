//! An account that may not run scripts. What scripts and this have in common is in `topologies`.

use std::time::Duration;

use cache_core::store::{Begin, Committed, Load, Mark, Next, Store as _, Token};
use cache_redis::RedisStore;

use crate::log::Log;
use crate::server::Server;
use crate::support::{KEY, MINUTE, SHAPE, begin, begin_anyway, entry, raw, refresh, unscripted};

/// A store on that account, and a connection of one that may do everything.
struct Pair {
    server: Server,
    plain: RedisStore,
    redis: redis::aio::MultiplexedConnection,
}

impl Pair {
    async fn new() -> Self {
        let server = unscripted();
        let mut redis = server.connection().await;
        raw::<()>(&mut redis, "ACL SETUSER free on >secret ~* &* +@all").await;
        let plain = RedisStore::connect(server.url()).unwrap();
        Self { server, plain, redis }
    }

    /// Another process, which may run scripts.
    fn scripted(&self) -> RedisStore {
        let url = format!("redis://free:secret@127.0.0.1:{}", self.server.port());
        RedisStore::connect(url).unwrap()
    }

    async fn raw<T: redis::FromRedisValue>(&mut self, words: &str) -> T {
        raw(&mut self.redis, words).await
    }
}

async fn lead(store: &RedisStore, begin: Begin) -> Load {
    let begun = store.begin(KEY, begin).await.unwrap();
    let Next::Lead { leased, .. } = begun.next else { panic!("not led: {:?}", begun.next) };
    Load { token: begin.token, generation: begun.generation, begun: begun.time, leased }
}

async fn holder(store: &RedisStore) -> Option<Token> {
    match store.begin(KEY, begin_anyway()).await.unwrap().next {
        Next::Held { by, .. } => Some(by),
        _ => None,
    }
}

#[tokio::test]
async fn the_missing_right_is_found_once_and_told_once() {
    let mut pair = Pair::new().await;
    let (log, _guard) = Log::here();
    for _ in 0..20 {
        let load = lead(&pair.plain, Begin { exclusive: false, ..begin() }).await;
        pair.plain.abandon(KEY, load, Mark::Nothing).await.unwrap();
        pair.plain.invalidate(KEY).await.unwrap();
    }
    let stats: String = pair.raw("INFO commandstats").await;
    let tried: Vec<&str> = stats.lines().filter(|line| line.contains("cmdstat_eval")).collect();
    assert!(tried.len() == 1 && tried[0].contains("rejected_calls=1,"), "{tried:?}");
    let lines = log.lines();
    let told: Vec<&String> = lines.iter().filter(|line| line.contains("+evalsha +eval")).collect();
    assert_eq!(told.len(), 1, "{lines:?}");
}

#[tokio::test]
async fn a_lease_ends_by_lapsing_and_the_entry_shows_that_its_holder_is_done() {
    let pair = Pair::new().await;
    let load = lead(&pair.plain, begin()).await;
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(pair.plain.commit(KEY, load, SHAPE, &bytes).await.unwrap(), Committed::Stored);
    let answer = pair.plain.begin(KEY, begin()).await.unwrap().next;
    assert!(matches!(answer, Next::Entry(there) if there == bytes));
    assert_eq!(holder(&pair.plain).await, Some(load.token), "nothing was deleted");
    let over = Begin { over: Some(load.token), ..begin_anyway() };
    let answer = pair.plain.begin(KEY, over).await.unwrap().next;
    assert!(matches!(answer, Next::Lead { leased: false, .. }), "beside it: {answer:?}");
    assert_eq!(holder(&pair.plain).await, Some(load.token), "nobody takes it over");
    let of_another = Begin { over: Some(Token::fresh()), ..begin_anyway() };
    let answer = pair.plain.begin(KEY, of_another).await.unwrap().next;
    assert!(matches!(answer, Next::Held { .. }), "that one has not been waited for");
}

#[tokio::test]
async fn a_release_that_comes_late_leaves_the_next_holder_its_lease() {
    let mut pair = Pair::new().await;
    let late = lead(&pair.plain, begin()).await;
    pair.raw::<()>(&format!("DEL {KEY}:lease")).await; // it has lapsed
    let next = lead(&pair.plain, begin()).await;
    pair.plain.abandon(KEY, late, Mark::Nothing).await.unwrap();
    assert_eq!(holder(&pair.plain).await, Some(next.token));
    assert!(!pair.plain.renew(KEY, late, MINUTE).await.unwrap());
    let bytes = entry(late.begun, MINUTE, "");
    pair.plain.commit(KEY, late, SHAPE, &bytes).await.unwrap();
    assert_eq!(holder(&pair.plain).await, Some(next.token));
}

#[tokio::test]
async fn what_could_never_lapse_lapses_from_now_on() {
    let mut pair = Pair::new().await;
    let token = Token::fresh();
    for never in [format!("SET {KEY}:lease {token}:0"), format!("RPUSH {KEY}:lease x")] {
        pair.raw::<()>(&never).await;
        let soon = Begin { lease: Duration::from_secs(5), ..begin() };
        let answer = pair.plain.begin(KEY, soon).await.unwrap().next;
        assert!(matches!(answer, Next::Held { .. }), "{answer:?}");
        let left: i64 = pair.raw(&format!("PTTL {KEY}:lease")).await;
        assert!((1..=5000).contains(&left), "{left}");
        pair.raw::<()>(&format!("DEL {KEY}:lease")).await;
    }
}

#[tokio::test]
async fn processes_with_and_without_the_right_share_a_key() {
    let pair = Pair::new().await;
    let (plain, scripted) = (&pair.plain, &pair.scripted());
    for (one, other) in [(plain, scripted), (scripted, plain)] {
        let load = lead(one, begin()).await;
        assert_eq!(holder(other).await, Some(load.token));
        let mark = Mark::Failed { first: MINUTE, most: MINUTE };
        assert!(one.abandon(KEY, load, mark).await.unwrap());
        assert!(matches!(other.begin(KEY, refresh()).await.unwrap().next, Next::Failing(_)));
        other.invalidate(KEY).await.unwrap();

        let superseded = lead(one, begin()).await;
        other.invalidate(KEY).await.unwrap();
        let load = lead(other, begin()).await;
        let bytes = entry(load.begun, MINUTE, "");
        let verdict = one.commit(KEY, superseded, SHAPE, &bytes).await.unwrap();
        assert_eq!(verdict, Committed::Superseded);
        assert_eq!(other.commit(KEY, load, SHAPE, &bytes).await.unwrap(), Committed::Stored);
        assert_eq!(one.read(KEY, SHAPE).await.unwrap(), Some(bytes));
        one.invalidate(KEY).await.unwrap();
    }
}

#[tokio::test]
async fn a_change_that_a_script_may_not_make_is_no_missing_right_to_run_scripts() {
    let mut pair = Pair::new().await;
    pair.raw::<()>("ACL SETUSER reader on >secret ~* &* +@all -set").await;
    let url = format!("redis://reader:secret@127.0.0.1:{}", pair.server.port());
    let reader = RedisStore::connect(url).unwrap();
    for _ in 0..2 {
        let error = reader.begin(KEY, begin()).await.unwrap_err();
        assert_eq!(error.kind(), cache_core::ErrorKind::Denied, "{error}");
    }
    let stats: String = pair.raw("INFO commandstats").await;
    assert!(stats.contains("cmdstat_eval"), "it was tried, and again: {stats}");
}

#[tokio::test]
async fn the_name_of_the_account_does_not_matter() {
    let server = Server::start();
    let mut redis = server.connection().await;
    raw::<()>(&mut redis, "ACL SETUSER scripts-app on >secret ~* &* +@all -@scripting").await;
    let url = format!("redis://scripts-app:secret@127.0.0.1:{}", server.port());
    let store = RedisStore::connect(url).unwrap();
    let load = lead(&store, begin()).await;
    let bytes = entry(load.begun, MINUTE, "");
    assert_eq!(store.commit(KEY, load, SHAPE, &bytes).await.unwrap(), Committed::Stored);
}

#[tokio::test]
async fn a_short_load_does_not_end_the_mark_of_a_longer_one() {
    let mut pair = Pair::new().await;
    let alone = |lease| Begin { exclusive: false, lease, ..begin() };
    lead(&pair.plain, alone(MINUTE)).await;
    lead(&pair.plain, Begin { token: Token::fresh(), ..alone(Duration::from_secs(1)) }).await;
    let left: u64 = pair.raw(&format!("PTTL {KEY}:load")).await;
    assert!(left > 50_000, "{left}");
}
