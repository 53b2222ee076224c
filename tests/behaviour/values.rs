//! Large values, and settings that change while entries live. Casebook C04 and C05.

use std::sync::Arc;
use std::time::{Duration, Instant};

use herdless::{
    Cache, CacheBuilder, Codec, ErrorKind, Event, Key, Policy, RedisStore, cached, with_cache,
};
use tokio::task::JoinSet;

use crate::backend::{Backend, within};
use crate::server::Server;

const MIB: usize = 1 << 20;
const CODECS: [Codec; 4] = [Codec::Bincode, Codec::Json, Codec::Postcard, Codec::MessagePack];

fn cache(server: &Server, set: impl FnOnce(CacheBuilder) -> CacheBuilder) -> Cache {
    let store = RedisStore::connect(server.url()).expect("a good URL");
    let builder = Cache::builder().store(store).namespace("test");
    set(builder.io_budget(Duration::from_secs(5))).build()
}

type Orders = Vec<(u32, String, Option<f64>)>;

fn orders() -> Orders {
    vec![(12_345, "{\"id\":1}".repeat(100), Some(49.0)), (1, String::new(), None)]
}

/// Calls once: whether it was a load.
async fn loads(cache: &Cache, key: &Key) -> bool {
    let before = cache.count(Event::Load);
    let policy = Policy::ttl(Duration::from_secs(60));
    let load = async || Ok::<_, String>(orders());
    assert_eq!(within(cache.get_or_load(key, &policy, load)).await, Ok(orders()));
    cache.count(Event::Load) > before
}

/// What any process with any setting has written, one with any other reads.
#[tokio::test]
async fn c05_every_codec_and_compression_is_switchable_on_live_data() {
    let server = Server::start();
    let settings = CODECS.into_iter().flat_map(|codec| [(codec, false), (codec, true)]);
    let caches: Vec<_> = settings
        .map(|(codec, packs)| {
            cache(&server, |builder| {
                let builder = builder.codec(codec);
                if packs { builder.compress_above(64) } else { builder }
            })
        })
        .collect();
    for (number, writer) in caches.iter().enumerate() {
        let key = Key::for_function("shop::orders").arg(&number).finish();
        assert!(loads(writer, &key).await);
        for reader in &caches {
            assert!(!loads(reader, &key).await, "{number}");
        }
    }
    for cache in &caches {
        for never in [Event::MissShape, Event::MissCorrupt, Event::Unstorable] {
            assert_eq!(cache.count(never), 0, "{never:?}");
        }
    }
}

/// Bytes in the field, whatever they are.
async fn stored(server: &Server, cache: &Cache, key: &Key) -> Vec<Vec<u8>> {
    let mut connection = server.connection().await;
    let mut ask = redis::cmd("HVALS");
    let values: Vec<Vec<u8>> =
        ask.arg(cache.redis_key(key)).query_async(&mut connection).await.expect("HVALS");
    values.into_iter().filter(|value| value.starts_with(b"HERD")).collect()
}

#[tokio::test]
async fn c05_entries_say_how_they_were_written() {
    let server = Server::start();
    for (number, codec) in CODECS.into_iter().enumerate() {
        for packs in [false, true] {
            let cache = cache(&server, |builder| {
                let builder = builder.codec(codec);
                if packs { builder.compress_above(64) } else { builder }
            });
            let key = Key::for_function("shop::orders").arg(&(number, packs)).finish();
            loads(&cache, &key).await;
            let stored = stored(&server, &cache, &key).await;
            assert_eq!(stored[0][5..7], [number as u8 + 1, u8::from(packs)]);
            assert_eq!(stored[0].len() < 500, packs, "{}", stored[0].len());
        }
    }
}

/// A codec or compression of a later version is a miss here, and is replaced by what can be read.
#[tokio::test]
async fn c05_what_cannot_be_read_here_is_a_counted_miss() {
    let server = Server::start();
    let cache = cache(&server, |builder| builder);
    let key = Key::for_function("shop::orders").finish();
    loads(&cache, &key).await;
    let mut entry = stored(&server, &cache, &key).await.remove(0);
    entry[4] += 1; // a later format: nothing else of it is looked at
    let mut connection = server.connection().await;
    let name = cache.redis_key(&key);
    let fields: Vec<String> =
        redis::cmd("HKEYS").arg(&name).query_async(&mut connection).await.expect("HKEYS");
    for field in fields {
        let mut set = redis::cmd("HSET");
        let set = set.arg(&name).arg(field).arg(&entry);
        set.query_async::<i64>(&mut connection).await.expect("HSET");
    }
    assert!(loads(&cache, &key).await);
    assert!(cache.count(Event::MissShape) > 0);
    assert!(cache.errors(ErrorKind::Shape) > 0);
    assert!(!loads(&cache, &key).await);
}

#[cached(ttl = 60, skip(backend))]
async fn huge(backend: Arc<Backend>, mib: usize) -> Vec<String> {
    backend.load().await;
    vec!["x".repeat(1024); mib * 1024]
}

#[cached(ttl = 60)]
async fn small(number: u32) -> u32 {
    number
}

#[tokio::test]
async fn c04_a_huge_value_reaches_every_caller_from_one_load_and_is_not_sent() {
    let server = Server::start();
    let cache = cache(&server, |builder| builder.max_value_bytes(MIB));
    let backend = Backend::closed();
    let mut crowd = JoinSet::new();
    for _ in 0..20 {
        let backend = Arc::clone(&backend);
        let call = async move { huge(backend, 64).await.len() };
        crowd.spawn(with_cache(cache.clone(), call));
    }
    backend.started(1).await;
    backend.open_gate();
    while let Some(length) = within(crowd.join_next()).await {
        assert_eq!(length.unwrap(), 64 * 1024);
    }
    assert_eq!(backend.loads(), 1);
    assert_eq!(cache.count(Event::TooLarge), 1);
    let mut connection = server.connection().await;
    let keys: Vec<String> =
        redis::cmd("KEYS").arg("*huge*").query_async(&mut connection).await.expect("KEYS");
    for key in keys {
        let bytes: usize = redis::cmd("MEMORY")
            .arg(&["USAGE", &key])
            .query_async(&mut connection)
            .await
            .expect("MEMORY");
        assert!(bytes < 4096, "{key}: {bytes} bytes");
    }
    let began = Instant::now();
    assert_eq!(within(with_cache(cache.clone(), small(7))).await, 7);
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn c04_a_value_up_to_the_limit_is_stored() {
    let server = Server::start();
    let cache = cache(&server, |builder| builder.max_value_bytes(2 * MIB));
    for mib in [1, 2] {
        let backend = Backend::open();
        for _ in 0..2 {
            within(with_cache(cache.clone(), huge(Arc::clone(&backend), mib))).await;
        }
        assert_eq!(backend.loads(), if mib == 1 { 1 } else { 2 });
    }
    assert_eq!(cache.count(Event::TooLarge), 2);
}
