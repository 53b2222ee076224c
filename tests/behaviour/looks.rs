//! Looks at all keys of a store for those of one function: what comes between, and what fails.

use std::sync::Arc;
use std::time::Duration;

use herdless::{Cache, Event, Kind, RedisStore, with_cache};

use crate::backend::{Backend, World, cache_on, eventually, within};
use crate::fleet::{Cluster, ask};
use crate::groups::{function, rows, rows_of};
use crate::late::{Held, late};
use crate::server::Server;

/// As it is in production: a short budget.
fn short_of_time(server: &Server) -> Cache {
    let store = RedisStore::connect(server.url()).unwrap();
    Cache::builder().store(store).namespace("test").build()
}

/// The load gave no sign of life for a lease, so the first look sees nothing of it.
#[tokio::test]
async fn a_load_that_is_stored_between_the_looks_does_not_survive() {
    let (world, asked, open) = late(Held::SecondLook, Duration::from_secs(20));
    let (there, here) = (Backend::closed(), Backend::open());
    let elsewhere = world.elsewhere();
    let load = with_cache(elsewhere.clone(), within(rows(Arc::clone(&there), 1)));
    let load = tokio::spawn(load);
    there.started(1).await;
    let mut redis = world.server.as_ref().unwrap().connection().await;
    let tag = world.cache.redis_key(rows(Arc::clone(&there), 1).key());
    let mut lapse = redis::cmd("DEL");
    lapse.arg(format!("{tag}:lease")).arg(format!("{tag}:load"));
    assert_eq!(lapse.query_async::<u32>(&mut redis).await.unwrap(), 2);
    // Another key, which the first look does see.
    world.run(rows(Arc::clone(&here), 2)).await;

    let change = tokio::spawn(function().invalidate_all(&world.cache));
    within(asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap();
    there.open_gate();
    within(load).await.unwrap();
    let peek = |id| with_cache(elsewhere.clone(), within(rows(Arc::clone(&here), id).peek()));
    assert_eq!(peek(1).await.unwrap(), Some(1), "it is stored");
    let again = with_cache(elsewhere.clone(), within(rows(Arc::clone(&here), 2))).await;
    open.send_replace(true);
    within(change).await.unwrap().unwrap();
    assert_eq!(peek(1).await.unwrap(), None);
    assert_eq!(peek(2).await.unwrap(), Some(again), "its load began after the first look");
}

#[tokio::test]
async fn looks_between_which_keys_have_moved_do_not_count() {
    for (held, looks) in [(Held::Layout, 3), (Held::SecondLook, 2)] {
        let (world, asked, open) = late(held, Duration::from_secs(20));
        open.send_replace(true);
        within(function().invalidate_all(&world.cache)).await.unwrap();
        let ends = 1; // nothing has moved since the last of them
        let expected = if held == Held::Layout { looks + ends } else { 1 };
        assert_eq!(*asked.borrow(), expected, "{looks} looks");
    }
}

/// Which is noticed, and then all is looked through again.
#[tokio::test]
async fn a_connection_that_breaks_between_the_looks_costs_no_value() {
    let (world, asked, open) = late(Held::SecondLook, Duration::from_secs(20));
    let (there, elsewhere) = (Backend::closed(), world.elsewhere());
    let mut redis = world.server.as_ref().unwrap().connection().await;
    let load = tokio::spawn(with_cache(elsewhere.clone(), rows(Arc::clone(&there), 1)));
    there.started(1).await;
    let tag = world.cache.redis_key(rows(Arc::clone(&there), 1).key());
    let mut lapse = redis::cmd("DEL");
    lapse.arg(format!("{tag}:lease")).arg(format!("{tag}:load"));
    lapse.exec_async(&mut redis).await.unwrap();
    let change = tokio::spawn(function().invalidate_all(&world.cache));
    within(asked.subscribe().wait_for(|asked| *asked == 1)).await.unwrap();
    there.open_gate();
    within(load).await.unwrap();
    let mut cut = redis::cmd("CLIENT");
    cut.arg("KILL").arg("TYPE").arg("normal").arg("SKIPME").arg("yes");
    cut.exec_async(&mut redis).await.unwrap();
    open.send_replace(true);
    let _ = within(change).await.unwrap(); // at once, or made good for behind
    eventually("it is done", || !world.cache.is_degraded()).await;
    let left: Vec<String> = ask(world.server.as_ref().unwrap(), &["KEYS", "*)}"]).unwrap();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn a_store_that_answers_is_not_asked_for_what_may_be_out_of_date() {
    let (world, _, open) = late(Held::NoLooks, Duration::from_secs(20));
    let backend = Backend::open();
    assert_eq!(world.run(rows(Arc::clone(&backend), 1)).await, 1);
    assert_eq!(world.run(rows_of(Arc::clone(&backend), 1)).await, 2);
    let error = within(function().invalidate_all(&world.cache)).await.unwrap_err();
    assert!(error.is_transient(), "{error}");
    let (value, how) = world.run(rows(Arc::clone(&backend), 1).with_outcome()).await;
    assert_eq!((value, how.degraded), (3, true));
    let (value, how) = world.run(rows_of(Arc::clone(&backend), 1).with_outcome()).await;
    assert_eq!((value, how.kind, how.degraded), (2, Kind::Hit, false), "another function");
    open.send_replace(true);
    eventually("it is made good for", || !world.cache.is_degraded()).await;
    let peek = with_cache(world.elsewhere(), within(rows(Arc::clone(&backend), 1).peek()));
    assert_eq!(peek.await.unwrap(), None);
    let (value, how) = world.run(rows(backend, 1).with_outcome()).await;
    assert_eq!((value, how.kind, how.degraded), (4, Kind::Computed, false));
}

#[tokio::test]
async fn what_a_silent_store_did_not_hear_is_made_good_before_its_values_are_served_again() {
    let world = World::redis();
    let server = world.server.as_ref().unwrap();
    let (cache, backend) = (short_of_time(server), Backend::open());
    let load =
        |id| with_cache(cache.clone(), within(rows(Arc::clone(&backend), id).with_outcome()));
    for id in 0..10 {
        load(id).await;
    }
    with_cache(cache.clone(), within(rows_of(Arc::clone(&backend), 1))).await;
    server.pause();
    let error = within(function().invalidate_all(&cache)).await.unwrap_err();
    assert!(error.is_transient() && error.to_string().contains("again"), "{error}");
    assert!(cache.is_degraded());
    assert_eq!(cache.count(Event::InvalidationQueued), 1);
    server.resume();
    let (value, how) = load(3).await;
    assert!(value > 11 || cache.count(Event::InvalidationSent) == 1, "an old value: {how:?}");
    eventually("the store is asked again", || !cache.is_degraded()).await;
    assert_eq!(cache.count(Event::InvalidationSent), 1);
    let elsewhere = cache_on(server);
    for id in 4..10 {
        let peek = with_cache(elsewhere.clone(), within(rows(Arc::clone(&backend), id).peek()));
        assert_eq!(peek.await.unwrap(), None, "{id}");
    }
    let other = with_cache(elsewhere, within(rows_of(backend, 1).peek())).await;
    assert!(other.unwrap().is_some());
}

#[tokio::test]
async fn copies_kept_while_the_store_is_away_go_too() {
    let mut server = Server::start();
    server.kill();
    let (cache, backend) = (short_of_time(&server), Backend::open());
    let load = || with_cache(cache.clone(), within(rows(Arc::clone(&backend), 1)));
    assert_eq!((load().await, load().await), (1, 1));
    within(function().invalidate_all(&cache)).await.unwrap_err();
    assert_eq!(load().await, 2);
}

#[tokio::test]
async fn every_primary_of_a_cluster_is_looked_through() {
    let cluster = Cluster::start();
    let cache = || {
        let store = RedisStore::builder().cluster(cluster.urls()).build().unwrap();
        let budget = Duration::from_secs(5);
        Cache::builder().store(store).namespace("test").io_budget(budget).build()
    };
    let (here, there, backend) = (cache(), cache(), Backend::open());
    for id in 0..200 {
        with_cache(here.clone(), within(rows(Arc::clone(&backend), id))).await;
    }
    with_cache(here.clone(), within(rows_of(Arc::clone(&backend), 1))).await;
    let entries = || -> usize {
        let of = |server| ask::<Vec<String>>(server, &["KEYS", "*rows:*)}"]).unwrap().len();
        let each: Vec<_> = cluster.servers[..3].iter().map(of).collect();
        assert!(each.iter().all(|&one| one > 0) || each.iter().sum::<usize>() == 0, "{each:?}");
        each.iter().sum()
    };
    assert_eq!(entries(), 200);
    within(function().invalidate_all(&there)).await.unwrap();
    assert_eq!(entries(), 0);
    let other = with_cache(there.clone(), within(rows_of(Arc::clone(&backend), 1).peek())).await;
    assert!(other.unwrap().is_some());
    for id in 0..200 {
        with_cache(here.clone(), within(rows(Arc::clone(&backend), id))).await;
    }
    assert_eq!(entries(), 200);
    let many = (0..200).map(|id| rows(Arc::clone(&backend), id));
    within(there.invalidate_many(many)).await.unwrap();
    assert_eq!(entries(), 0, "each slot by itself");
    assert!(!there.is_degraded());
}
