//! Cases K06 and K08: which function a key is of, and where Redis puts it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use herdless::{Cache, Event, Key, Policy, RedisStore, cached, with_cache};

use crate::server::Server;

mod billing {
    #[herdless::cached(ttl = 60)]
    pub(super) async fn get(id: u32) -> u64 {
        u64::from(id) + 100
    }
}

mod stock {
    #[herdless::cached(ttl = 60)]
    pub(super) async fn get(id: u32) -> u64 {
        u64::from(id) + 200
    }
}

struct A;
struct B;

impl A {
    #[cached(ttl = 60)]
    async fn get(id: u32) -> u64 {
        u64::from(id) + 300
    }
}

impl B {
    #[cached(ttl = 60)]
    async fn get(id: u32) -> u64 {
        u64::from(id) + 400
    }
}

/// A call's answer, its key and its removal, for functions of different types.
macro_rules! of {
    ($cache:expr, $call:expr) => {
        async {
            let (cache, call): (&Cache, fn() -> _) = ($cache, || $call);
            let key = call().key().clone();
            let before = with_cache(cache.clone(), call()).await;
            with_cache(cache.clone(), call().invalidate()).await.unwrap();
            let gone = with_cache(cache.clone(), call().peek()).await.unwrap();
            assert_eq!(gone, None);
            (with_cache(cache.clone(), call()).await, before, key)
        }
    };
}

/// Two functions of one name in one module: `module_path!` is the same for both.
async fn first(cache: &Cache) -> (u64, u64, Key) {
    #[cached(ttl = 60)]
    async fn get(id: u32) -> u64 {
        u64::from(id) + 500
    }
    of!(cache, get(1)).await
}

async fn second(cache: &Cache) -> (u64, u64, Key) {
    #[cached(ttl = 60)]
    async fn get(id: u32) -> u64 {
        u64::from(id) + 600
    }
    of!(cache, get(1)).await
}

#[tokio::test]
async fn k06_same_name_two_places() {
    let cache = Cache::builder().build();
    let all = [
        of!(&cache, billing::get(1)).await,
        of!(&cache, stock::get(1)).await,
        of!(&cache, A::get(1)).await,
        of!(&cache, B::get(1)).await,
        first(&cache).await,
        second(&cache).await,
    ];
    let mut keys = HashSet::new();
    for (number, (after, before, key)) in (1..).zip(&all) {
        assert_eq!((*after, *before), (number * 100 + 1, number * 100 + 1), "{key}");
        assert!(keys.insert(key), "{key} is shared");
    }
    // Each was loaded twice, and removed once without harm to the others.
    assert_eq!((cache.count(Event::Load), cache.kept()), (12, 6));
}

#[tokio::test]
async fn k06_two_programs_on_one_redis() {
    let server = Server::start();
    let cache = |namespace: &str| {
        let store = RedisStore::connect(server.url()).unwrap();
        Cache::builder().store(store).namespace(namespace).io_budget(GUARD).build()
    };
    let (shop, desk) = (cache("shop"), cache("shop:desk"));
    let load = |cache: &Cache, value: u32| {
        let (cache, key) = (cache.clone(), Key::for_function("crate::get").arg(&1).finish());
        let policy = Policy::ttl(Duration::from_secs(60));
        async move { cache.get_or_load(&key, &policy, async || Ok::<_, ()>(value)).await.unwrap() }
    };
    assert_eq!((load(&shop, 1).await, load(&desk, 2).await), (1, 2));
    assert_eq!((load(&shop, 3).await, load(&desk, 3).await), (1, 2));
    shop.invalidate_key(&Key::for_function("crate::get").arg(&1).finish()).await.unwrap();
    assert_eq!((load(&shop, 4).await, load(&desk, 4).await), (4, 2));
}

/// Another process makes the key of a secret with the same calls, and reaches the same value.
#[tokio::test]
async fn a_secret_argument_is_invalidated_from_another_binary() {
    let server = Server::start();
    let cache = |secret: &str| {
        let store = RedisStore::connect(server.url()).unwrap();
        Cache::builder().store(store).key_secret(secret).io_budget(GUARD).build()
    };
    let key = || Key::for_function("shop::session").digest("tok-EXAMPLE-1").finish();
    let policy = Policy::ttl(Duration::from_secs(60));
    let load = async |cache: &Cache, value: u8| {
        cache.get_or_load(&key(), &policy, async || Ok::<_, ()>(value)).await.unwrap()
    };
    let (here, there, stranger) = (cache("one secret"), cache("one secret"), cache("another one"));
    assert_eq!((load(&here, 1).await, load(&there, 2).await, load(&stranger, 3).await), (1, 1, 3));
    stranger.invalidate_key(&key()).await.unwrap();
    assert_eq!(load(&here, 4).await, 1);
    there.invalidate_key(&key()).await.unwrap();
    assert_eq!(load(&here, 5).await, 5);

    let digest = key().as_str().split(['#', ')']).nth(1).unwrap().to_owned();
    let mut connection = server.connection().await;
    for stored in keys_of(&mut connection).await {
        assert!(!stored.contains("tok-EXAMPLE-1") && !stored.contains(&digest), "{stored}");
    }
}

/// A guard against hanging, not a measurement.
const GUARD: Duration = Duration::from_secs(5);

async fn keys_of(connection: &mut redis::aio::MultiplexedConnection) -> Vec<String> {
    redis::cmd("KEYS").arg("*").query_async(connection).await.unwrap()
}

/// CRC16/XMODEM of the hash tag, as Redis Cluster computes a slot.
fn slot(key: &str) -> u16 {
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    let hashed = tag.map_or(key, |(tag, _)| if tag.is_empty() { key } else { tag });
    let crc = hashed.bytes().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    });
    crc % 16_384
}

/// Text of pieces that try to end, open or fake a hash tag, drawn from `seed`.
fn nasty(seed: u64) -> String {
    let pieces = ["{", "}", "{}", "}x{", "a{b}c", "%7D", "%", "\"", ":", "é", "\n", "\0", "1", "x"];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    let count = draw(9);
    (0..count).map(|_| pieces[draw(pieces.len())]).collect::<String>() + &seed.to_string()
}

#[test]
fn k08_the_slot_function_agrees_with_the_case() {
    for (argument, value, lease) in [("{}", 1632, 8816), ("}x{", 2731, 9985), ("a{b}c", 3300, 3300)]
    {
        assert_eq!(slot(&format!("app:f:{argument}")), value);
        assert_eq!(slot(&format!("lock:app:f:{argument}")), lease);
    }
}

#[test]
fn k08_entries_spread_over_slots() {
    let cache = Cache::builder().namespace("a{shop}").build();
    let of = |seed| slot(&cache.redis_key(&Key::for_function("f").arg(&nasty(seed)).finish()));
    let mut load: HashMap<u16, u32> = HashMap::new();
    (0..2000).for_each(|seed| *load.entry(of(seed)).or_default() += 1);
    assert!(load.len() > 1800, "{} slots", load.len());
    assert!(load.values().all(|&keys| keys < 8), "a slot of many");
}

/// The keys that a server really holds during a load, after it and after an invalidation.
#[tokio::test]
async fn k08_all_keys_of_one_entry_share_a_slot() {
    let server = Server::start();
    let mut connection = server.connection().await;
    let store = RedisStore::connect(server.url()).unwrap();
    let cache = Cache::builder().store(store).namespace("a{b}").io_budget(GUARD).build();
    let policy = Policy::ttl(Duration::from_secs(60));
    let mut kinds = HashSet::new();
    for argument in (0..60).map(nasty).chain(["{}", "}x{", "a{b}c", ""].map(String::from)) {
        let key = Key::for_function("f").arg(&argument).digest(&argument).finish();
        let mut looking = connection.clone();
        let loading =
            cache.get_or_load(&key, &policy, async || Ok::<_, ()>(keys_of(&mut looking).await));
        let during = loading.await.unwrap();
        let after = keys_of(&mut connection).await;
        cache.invalidate_key(&key).await.unwrap();
        let invalidated = keys_of(&mut connection).await;
        let value = cache.redis_key(&key);
        for seen in [during, after, invalidated].concat() {
            assert_eq!(slot(&seen), slot(&value), "{seen} and {value}");
            kinds.insert(seen.strip_prefix(&value).expect("one entry").to_owned());
        }
        let _: () = redis::cmd("FLUSHALL").query_async(&mut connection).await.unwrap();
    }
    for kind in ["", ":lease", ":gen"] {
        assert!(kinds.contains(kind), "no `{kind}` among {kinds:?}");
    }
}
