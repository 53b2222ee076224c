//! A log line about a key shows what the store would: a secret argument as a keyed digest.

#[path = "../../tests/support/log.rs"]
mod log;

use std::time::Duration;

use cache_core::{Cache, Clock, Event, Key, Policy};

use log::Log;

const TOKEN: &str = "tok-EXAMPLE-1";

/// A load fails after one that stored a value, which stands in and is logged.
async fn fail(cache: &Cache, clock: &Clock, key: &Key) {
    let policy = Policy::ttl(Duration::from_secs(1)).stale_if_error(Duration::from_secs(60));
    let load = async |answer| cache.get_or_load(key, &policy, async || answer).await;
    assert_eq!(load(Ok::<_, String>(1)).await, Ok(1));
    clock.advance(Duration::from_secs(2));
    assert_eq!(load(Err(String::from("no"))).await, Ok(1));
    assert!(cache.count(Event::StaleOnError) > 0);
}

#[tokio::test]
async fn a_process_only_cache_logs_the_keyed_form() {
    let clock = Clock::manual();
    let secret = [7; 16];
    let cache = Cache::builder().clock(clock.clone()).namespace("shop").key_secret(secret).build();
    let key = Key::for_function("shop::session").digest(TOKEN).arg(&80).finish();
    let (log, guard) = Log::here();
    fail(&cache, &clock, &key).await;
    drop(guard);
    let logged = log.lines().join("\n");
    let digest = key.as_str().split(['#', ',']).nth(1).unwrap();
    assert_eq!(digest.len(), 64);
    assert!(logged.contains(&format!("key={} ", cache.redis_key(&key))), "{logged}");
    for hidden in [TOKEN, digest, &format!("{secret:?}")] {
        assert!(!logged.contains(hidden), "{hidden} is in {logged}");
    }
}

#[test]
fn caches_with_one_secret_agree_on_a_key_and_others_do_not() {
    let cache = |secret: &str| Cache::builder().namespace("shop").key_secret(secret).build();
    let key = || Key::for_function("shop::session").digest(TOKEN).finish();
    assert_eq!(cache("one").redis_key(&key()), cache("one").redis_key(&key()));
    assert_ne!(cache("one").redis_key(&key()), cache("two").redis_key(&key()));
    let without = Cache::builder().namespace("shop").build().redis_key(&key());
    assert_eq!(without, format!("{{shop:{}}}", key()));
    assert_ne!(cache("one").redis_key(&key()), without);

    let plain = Key::for_function("shop::rows").arg(TOKEN).finish();
    assert_eq!(cache("one").redis_key(&plain), cache("two").redis_key(&plain));
}
