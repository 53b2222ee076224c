//! Which cache a call uses, and that tests in one process do not see each other's values.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Cache, Event, Kind, Policy, cached, install_named, with_cache};

use crate::backend::{Backend, World, cache_on, eventually, within};

#[cached(ttl = 300, skip(backend))]
async fn quality_count(backend: Arc<Backend>, min_score: u32) -> u32 {
    min_score + backend.load().await
}

#[tokio::test]
async fn with_cache_rules_calls_made_outside_it() {
    let (mine, other) = (Cache::builder().build(), Cache::builder().build());
    let backend = Backend::open();
    let made_outside = quality_count(Arc::clone(&backend), 80);
    assert_eq!(with_cache(mine.clone(), made_outside).await, 81);
    assert_eq!(with_cache(other.clone(), quality_count(Arc::clone(&backend), 80)).await, 82);
    assert_eq!(with_cache(mine.clone(), quality_count(backend, 80)).await, 81);
    assert_eq!((mine.count(Event::Load), other.count(Event::Load)), (1, 1));
    assert_eq!((mine.count(Event::Hit), other.count(Event::Hit)), (1, 0));
}

#[cached(ttl = 60, strategy = "swr", grace = 60, reason = "a test", skip(backend))]
async fn doubled(backend: Arc<Backend>, id: u32) -> u32 {
    quality_count(backend, id).await * 2
}

#[tokio::test]
async fn what_a_call_leaves_behind_keeps_its_scope() {
    let cache = Cache::builder().build();
    let backend = Backend::open();
    let past =
        Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
    with_cache(cache.clone(), plant(&doubled(Arc::clone(&backend), 1), 500, past)).await.unwrap();
    assert_eq!(with_cache(cache.clone(), doubled(Arc::clone(&backend), 1)).await, 500);
    let both = || cache.count(Event::Load) == 2; // the refresh, and the call its body makes
    eventually("the refresh runs under the same cache", both).await;

    let (other, backend) = (Cache::builder().build(), Backend::closed());
    let call = with_cache(other.clone(), doubled(Arc::clone(&backend), 2));
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err(), "it leaves");
    backend.open_gate();
    eventually("its load goes on", || other.flights() == 0).await;
    assert_eq!((other.count(Event::Load), other.kept()), (2, 2), "and stores under the same cache");
}

#[tokio::test]
async fn two_caches_on_two_servers_do_not_meet() {
    let (one, two) = (World::redis(), World::redis());
    let backend = Backend::open();
    assert_eq!(one.run(quality_count(Arc::clone(&backend), 1)).await, 2);
    assert_eq!(two.run(quality_count(Arc::clone(&backend), 1)).await, 3);
    assert_eq!(one.run(quality_count(backend, 1)).await, 2);
}

#[tokio::test]
async fn a_disabled_cache_runs_loaders_only() {
    let cache = Cache::disabled();
    let backend = Backend::open();
    for expected in 1..=3 {
        let call = quality_count(Arc::clone(&backend), 0).with_outcome();
        let (value, how) = with_cache(cache.clone(), call).await;
        assert_eq!((value, how.kind), (expected, Kind::Bypassed));
    }
    let call = quality_count(backend, 0);
    with_cache(cache.clone(), call.prime(5)).await.unwrap();
    assert_eq!(with_cache(cache, call.peek()).await.unwrap(), None);
}

#[cached(ttl = 300, cache = "reports", skip(backend))]
async fn report(backend: Arc<Backend>) -> u32 {
    backend.load().await
}

#[tokio::test]
async fn a_named_cache_is_used_by_name_and_a_scope_goes_before_it() {
    let reports = Cache::builder().build();
    install_named("reports", reports.clone()).unwrap();
    assert!(install_named("reports", Cache::disabled()).is_err());
    let backend = Backend::open();
    assert_eq!(report(Arc::clone(&backend)).await, 1);
    assert_eq!(report(Arc::clone(&backend)).await, 1);
    assert_eq!(reports.count(Event::Hit), 1);
    assert_eq!(with_cache(Cache::builder().build(), report(backend)).await, 2);
}

struct Shop {
    cache: Cache,
    id: u32,
}

impl Shop {
    #[cached(ttl = 300, cache = &self.cache, key = "{self.id}:{item}", skip(backend))]
    async fn price(&self, backend: &Backend, item: u32) -> u32 {
        item + self.id + backend.load().await
    }
}

#[tokio::test]
async fn a_cache_given_by_an_expression_is_always_obeyed() {
    let shop = Shop { cache: Cache::builder().build(), id: 100 };
    let backend = Backend::open();
    let price = || with_cache(Cache::disabled(), shop.price(&backend, 5));
    assert_eq!((price().await, price().await), (106, 106));
    assert_eq!(shop.cache.count(Event::Hit), 1);
    assert!(shop.price(&backend, 5).key().as_str().ends_with("price:v1(100:5)"));
}

/// Neither serializable nor ever sent anywhere.
#[derive(Clone)]
struct Open(Arc<std::sync::Mutex<u32>>);

#[cached(ttl = 300, scope = "process", skip(backend))]
async fn connection(backend: Arc<Backend>) -> Open {
    Open(Arc::new(std::sync::Mutex::new(backend.load().await)))
}

#[tokio::test]
async fn scope_process_needs_no_serde_and_stays_in_the_process() {
    let world = World::redis();
    let backend = Backend::open();
    let (one, two) =
        (world.run(connection(Arc::clone(&backend))).await, world.run(connection(backend)).await);
    assert!(Arc::ptr_eq(&one.0, &two.0));
    let mut redis = world.server.as_ref().unwrap().connection().await;
    let keys: u64 = redis::cmd("DBSIZE").query_async(&mut redis).await.unwrap();
    assert_eq!(keys, 0);
}

#[tokio::test]
async fn get_or_load_serves_code_without_the_macro() {
    for world in World::all() {
        let backend = Backend::open();
        let key = herdless::Key::for_function("rows").arg(&7).finish();
        let policy = Policy::ttl(Duration::from_secs(60));
        let load = || async { Ok::<_, ()>(backend.load().await) };
        assert_eq!(within(world.cache.get_or_load(&key, &policy, load)).await, Ok(1));
        assert_eq!(within(world.cache.get_or_load(&key, &policy, load)).await, Ok(1));
        within(world.elsewhere().invalidate_key(&key)).await.unwrap();
        assert_eq!(
            within(world.cache.get_or_load(&key, &policy, load)).await,
            Ok(2),
            "{}",
            world.name
        );
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_store_that_is_absent_or_dies_costs_values_nothing_but_their_cache() {
    let mut world = World::redis();
    let backend = Backend::open();
    assert_eq!(world.run(quality_count(Arc::clone(&backend), 0)).await, 1);
    world.server.as_mut().unwrap().kill();
    let crowd = world.crowd(50, || quality_count(Arc::clone(&backend), 0).with_outcome());
    for (value, how) in within(crowd.join_all()).await {
        assert!(value >= 1, "{how:?}");
    }
    assert!(world.run(quality_count(Arc::clone(&backend), 0).invalidate()).await.is_err());
    assert_eq!(world.cache.flights(), 0);

    let server = world.server.as_mut().unwrap();
    server.restart();
    let cache = cache_on(server);
    let backend = Backend::open();
    let call =
        || with_cache(cache.clone(), within(quality_count(Arc::clone(&backend), 0).with_outcome()));
    call().await;
    assert_eq!(call().await.1.kind, Kind::Hit);
}

#[cached(ttl = 300, name = "twins")]
async fn one_twin(id: u32) -> u32 {
    id
}

#[cached(ttl = 300, name = "twins")]
async fn other_twin(id: u32) -> u32 {
    id + 1000
}

#[tokio::test]
async fn two_functions_with_one_identity_never_read_each_others_values() {
    let world = World::embedded();
    assert_eq!(world.run(one_twin(1)).await, 1);
    for _ in 0..2 {
        let (value, how) = world.run(other_twin(1).with_outcome()).await;
        assert_eq!((value, how.kind), (1001, Kind::Bypassed));
        assert_eq!(world.run(one_twin(1)).await, 1);
    }
    assert!(!one_twin(1).key().is_sound());
}

#[tokio::test]
async fn two_functions_of_one_name_in_two_blocks_do_not_mix() {
    let world = World::embedded();
    let one = {
        #[cached(ttl = 300)]
        async fn same(id: u32) -> u32 {
            id
        }
        || same(1)
    };
    let other = {
        #[cached(ttl = 300)]
        async fn same(id: u32) -> u32 {
            id + 5
        }
        || same(1)
    };
    assert_eq!((world.run(one()).await, world.run(other()).await), (1, 6));
}
