//! A store that answers, but not as it should: rights, restarts, keys that vanish, late replies.

use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use herdless::{Cache, ErrorKind, Event, Kind, cached, with_cache};
use redis::aio::MultiplexedConnection;

use crate::backend::{Backend, World, eventually, within};
use crate::outage::{ask, builder, row, until_it_is_back, until_it_is_skipped};
use crate::proxy::{Proxy, Replies};
use crate::server::{Options, Server};

pub(crate) async fn raw<T: redis::FromRedisValue>(
    redis: &mut MultiplexedConnection,
    words: &str,
) -> T {
    let mut words = words.split(' ');
    let mut command = redis::cmd(words.next().expect("a command"));
    command.arg(words.collect::<Vec<_>>()).query_async(redis).await.expect("it is done")
}

/// A cache of an account with these rights.
pub(crate) async fn restricted(server: &Server, rights: &str) -> (Cache, MultiplexedConnection) {
    let mut redis = server.connection().await;
    raw::<()>(&mut redis, &format!("ACL SETUSER app on >secret {rights}")).await;
    let url = format!("redis://app:secret@127.0.0.1:{}", server.port());
    (builder(url).build(), redis)
}

#[tokio::test]
async fn an_account_without_rights_to_the_keys_is_found_once() {
    let server = Server::start();
    let (cache, mut redis) = restricted(&server, "~other:* &* +@all").await;
    let backend = Backend::open();
    until_it_is_skipped(&cache, &backend).await;
    let (loads, denied) = (backend.loads(), cache.errors(ErrorKind::Denied));
    for _ in 0..20 {
        assert_eq!(ask(&cache, &backend, 1).await.0, loads + 1);
    }
    assert_eq!(backend.loads(), loads + 1, "a copy is kept in the process");
    assert_eq!(cache.errors(ErrorKind::Denied), denied);
    raw::<()>(&mut redis, "ACL SETUSER app ~{test:*").await;
    until_it_is_back(&cache).await;
    assert!(!ask(&cache, &backend, 2).await.1.degraded);
}

#[tokio::test]
async fn without_rights_to_channels_waiters_look_by_themselves() {
    let world = World::redis();
    let server = world.server.as_ref().expect("it has one");
    let (cache, _) = restricted(server, "~{test:* resetchannels +@all").await;
    let backend = Backend::closed();
    let leader = world.spawn(row(Arc::clone(&backend), 1));
    backend.started(1).await;
    let waiter = tokio::spawn(with_cache(cache.clone(), row(Arc::clone(&backend), 1)));
    eventually("it wants to listen", || cache.errors(ErrorKind::Denied) > 0).await;
    backend.open_gate();
    assert_eq!((within(leader).await.unwrap(), within(waiter).await.unwrap()), (1, 1));
    assert_eq!(backend.loads(), 1);
    assert!(!cache.is_degraded(), "everything else works");
}

/// Each key takes the server so long to read.
const SLOWLY: [&str; 4] =
    ["--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024"];

#[tokio::test]
async fn while_a_server_reads_its_data_callers_load_for_themselves() {
    let arguments = SLOWLY.map(String::from).to_vec();
    let options =
        move |_: fn() -> u16| Options { arguments: arguments.clone(), ..Options::default() };
    let mut server = Server::with(options);
    let mut redis = server.connection().await;
    let mut keys = redis::pipe();
    for key in 0..2000 {
        keys.cmd("SET").arg(key).arg(key).ignore();
    }
    keys.query_async::<()>(&mut redis).await.unwrap();
    let before = builder(server.url()).build();
    let backend = Backend::open();
    assert_eq!(ask(&before, &backend, 1).await.1.kind, Kind::Computed);
    raw::<()>(&mut redis, "SAVE").await;

    let server_url = server.url();
    let client = redis::Client::open(server.url()).unwrap();
    server.kill();
    let restart = thread::spawn(move || {
        server.restart();
        server
    });
    let is_loading = || async {
        let mut redis = client.get_multiplexed_async_connection().await.ok()?;
        let ping: redis::RedisResult<String> = redis::cmd("PING").query_async(&mut redis).await;
        ping.err().filter(|error| error.code() == Some("LOADING"))
    };
    let loading = async { while is_loading().await.is_none() {} };
    within(loading).await;

    let cache = builder(server_url).build(); // of a process that starts just now
    until_it_is_skipped(&cache, &backend).await;
    assert!(cache.errors(ErrorKind::Loading) > 0, "that is what it was told");
    let loads = backend.loads();
    for _ in 0..20 {
        assert_eq!(ask(&cache, &backend, 7).await.0, loads + 1);
    }
    assert_eq!(backend.loads(), loads + 1);
    until_it_is_back(&cache).await;
    let server = restart.join().unwrap();
    until_it_is_back(&before).await;
    for cache in [&before, &cache] {
        let (value, how) = ask(cache, &backend, 1).await;
        assert_eq!((value, how.kind, how.degraded), (1, Kind::Hit, false), "it was read again");
    }

    // It has forgotten the scripts, and is taught them.
    assert_eq!(ask(&cache, &backend, 8).await.1.kind, Kind::Computed);
    assert_eq!(ask(&cache, &backend, 8).await.1.kind, Kind::Hit);
    let mut redis = server.connection().await;
    let stats: String = raw(&mut redis, "INFO commandstats").await;
    let reads = stats.lines().find(|line| line.starts_with("cmdstat_hget:")).unwrap_or_default();
    let rejected = reads.split("rejected_calls=").nth(1).and_then(|rest| rest.split(',').next());
    let rejected: u32 = rejected.expect("it counts").parse().unwrap();
    assert!(rejected < 40, "nobody asks in a tight loop: {rejected}");
}

#[tokio::test]
async fn scripts_dropped_while_a_load_runs_are_taught_again() {
    let world = World::redis();
    let mut redis = world.server.as_ref().expect("it has one").connection().await;
    for (loads, refreshed) in [(1, false), (2, true)] {
        let backend = Backend::closed();
        let leader = if refreshed {
            world.spawn(row(Arc::clone(&backend), 1).refresh())
        } else {
            world.spawn(row(Arc::clone(&backend), 1))
        };
        backend.started(1).await;
        raw::<()>(&mut redis, "SCRIPT FLUSH").await;
        backend.open_gate();
        assert_eq!(within(leader).await.unwrap(), 1);
        let stored = with_cache(world.elsewhere(), within(row(backend, 1).peek())).await.unwrap();
        assert_eq!(stored, Some(1), "load {loads}");
        world.is_idle().await;
    }
    assert_eq!(world.cache.errors(ErrorKind::NoScript), 0, "the store sees to it by itself");
}

/// Under memory pressure a server may evict any of our keys.
#[tokio::test]
async fn a_lease_evicted_while_its_load_runs_costs_one_load_at_most() {
    let world = World::redis();
    let mut redis = world.server.as_ref().expect("it has one").connection().await;
    let backend = Backend::closed();
    let first = world.spawn(row(Arc::clone(&backend), 1));
    backend.started(1).await;
    let key = world.cache.redis_key(row(Arc::clone(&backend), 1).key());
    assert_eq!(raw::<u32>(&mut redis, &format!("DEL {key}:lease {key}:load {key}:gen")).await, 2);
    let elsewhere = world.elsewhere();
    let crowd: Vec<_> = (0..10)
        .map(|_| tokio::spawn(with_cache(elsewhere.clone(), row(Arc::clone(&backend), 1))))
        .collect();
    backend.started(2).await;
    backend.open_gate();
    assert_eq!(within(first).await.unwrap(), 1);
    for caller in crowd {
        assert_eq!(within(caller).await.unwrap(), 2);
    }
    assert_eq!(backend.loads(), 2);
    assert_eq!(world.run(row(backend, 1).peek()).await.unwrap(), Some(2), "begun later, it stays");
    assert_eq!(world.cache.count(Event::Takeover), 0);
    world.is_idle().await;
}

#[tokio::test]
async fn a_reply_that_comes_late_is_nobody_elses() {
    let server = Server::start();
    let proxy = Proxy::before(server.port());
    let cache = builder(proxy.url()).io_budget(Duration::from_millis(20)).build();
    for id in 1..=50 {
        with_cache(cache.clone(), within(twice(id).prime(id * 2))).await.unwrap();
    }
    for round in 0..3 {
        proxy.set(Replies::Held);
        let mut crowd = tokio::task::JoinSet::new();
        for id in 1..=50 {
            crowd.spawn(with_cache(cache.clone(), async move { (id, twice(id).await) }));
        }
        // Time is up for all of them while their questions are under way.
        for (id, value) in within(crowd.join_all()).await {
            assert_eq!(value, id * 2, "{round}");
        }
        proxy.set(Replies::Pass);
        until_it_is_back(&cache).await;
        for id in 1..=50 {
            assert_eq!(with_cache(cache.clone(), within(twice(id))).await, id * 2, "{round}");
        }
    }
    assert!(cache.errors(ErrorKind::Timeout) >= 3);
}

#[tokio::test]
async fn a_thousand_callers_that_leave_at_any_moment_leave_every_value_with_its_key() {
    let server = Server::start();
    let cache = builder(server.url()).build();
    for id in 1..=50 {
        with_cache(cache.clone(), within(twice(id).prime(id * 2))).await.unwrap();
    }
    let mut left = 0;
    for round in 0..1000 {
        let (one, other) = (round % 50 + 1, round * 7 % 50 + 1);
        // Polled so often, and no more.
        let mut polls: u32 = round % 4;
        let patience = std::future::poll_fn(|context| {
            context.waker().wake_by_ref();
            polls = polls.saturating_sub(1);
            if polls == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            biased;
            value = with_cache(cache.clone(), twice(one)) => assert_eq!(value, one * 2),
            () = patience => left += 1,
        }
        assert_eq!(with_cache(cache.clone(), within(twice(other))).await, other * 2);
    }
    assert!(left > 500, "most have left: {left}");
    assert!(!cache.is_degraded());
}

#[cached(ttl = 60)]
async fn twice(id: u32) -> u32 {
    id * 2
}
