//! Settings that evaluate to something odd: what takes effect is shown, and found.

#![allow(dead_code, reason = "the audit lists what is never called")]

use std::time::Duration;

use herdless::{Cache, LoadFailed, RedisStore, audit, cached, with_cache};

use crate::{function, messages_of};

const OFF: Duration = Duration::ZERO;
const LONG: Duration = Duration::from_secs(90);
const BRIEF: Duration = Duration::from_millis(50);
const ANY: usize = 0;

fn unset() -> Duration {
    panic!("no configuration")
}

#[cached(ttl = OFF, jitter = 6)]
async fn switched_off(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = LONG, lease = BRIEF, wait = OFF)]
async fn out_of_bounds(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, none = 90)]
async fn long_none(id: u32) -> Option<u32> {
    Some(id)
}

#[cached(
    ttl = 60,
    jitter = 6,
    grace = OFF,
    timeout = OFF,
    concurrency = ANY,
    none = OFF,
    reason = "off"
)]
async fn zeros(id: u32) -> Result<Option<u32>, LoadFailed> {
    Ok(Some(id))
}

#[cached(ttl = 60, jitter = OFF)]
async fn zero_jitter(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = unset())]
async fn panicking(id: u32) -> u32 {
    id
}

#[cached(ttl = LONG, jitter = 6, lease = unset())]
async fn one_of_two(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, lease = 10, timeout = 5)]
async fn lease_over_timeout(id: u32) -> Result<u32, LoadFailed> {
    Ok(id)
}

#[cached(ttl = 60, jitter = 6, wait = 600)]
async fn long_wait(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, timeout = 700, wait = 800)]
async fn long_timeout(id: u32) -> Result<u32, LoadFailed> {
    Ok(id)
}

/// Nothing is wrong here: what is short is the default, what is long is a limit.
#[cached(ttl = 5, jitter = 1, timeout = 20)]
async fn timeout_over_ttl(id: u32) -> Result<u32, LoadFailed> {
    Ok(id)
}

#[test]
fn a_zero_is_shown_as_what_it_means() {
    let audit = audit();
    assert_eq!(function(&audit, "switched_off").ttl.to_string(), "not stored, 0 s = `OFF`");
    let zeros = function(&audit, "zeros");
    assert_eq!(zeros.timeout.unwrap().to_string(), "no limit, 0 s = `OFF`");
    assert_eq!(zeros.concurrency.unwrap().to_string(), "no limit, 0 = `ANY`");
    assert_eq!(zeros.none.unwrap().to_string(), "not stored, 0 s = `OFF`");
    assert_eq!(zeros.grace.unwrap().to_string(), "0 s = `OFF`");
    assert_eq!(messages_of(&audit, "zeros"), Vec::<String>::new());
    assert!(messages_of(&audit, "switched_off")[0].contains("nothing is stored"), "{audit}");
    assert!(messages_of(&audit, "zero_jitter")[0].contains("no `jitter`"), "{audit}");
}

#[test]
fn what_takes_effect_is_shown_beside_what_was_given() {
    let audit = audit();
    let odd = function(&audit, "out_of_bounds");
    assert_eq!(odd.jitter.unwrap().to_string(), "60 s, given 90 s = `LONG`");
    assert_eq!(odd.lease.to_string(), "100 ms, given 50 ms = `BRIEF`");
    assert_eq!(odd.lease.span(), Some(Duration::from_millis(100)));
    assert_eq!(odd.wait.to_string(), "10 ms, given 0 s = `OFF`");
    let found = messages_of(&audit, "out_of_bounds");
    let expected = "`jitter` of 90 s takes effect as 60 s, `lease` of 50 ms takes effect as \
                    100 ms, `wait` of 0 s takes effect as 10 ms";
    assert!(found[0].contains(expected), "{found:?}");
    let long = function(&audit, "long_none");
    assert_eq!(long.none.unwrap().to_string(), "60 s, given 90 s");
}

#[test]
fn an_expression_that_panics_takes_nothing_down() {
    let audit = audit();
    let one = function(&audit, "panicking");
    assert_eq!(one.ttl.span(), Some(Duration::from_secs(60)), "the others are known");
    assert_eq!(one.jitter.unwrap().to_string(), "`unset()` panics");
    let found = messages_of(&audit, "panicking");
    assert!(found.iter().any(|one| one.contains("no configuration")), "{found:?}");
    let two = function(&audit, "one_of_two");
    assert_eq!(two.lease.to_string(), "`unset()` panics, or another setting does");
    assert_eq!(two.ttl.to_string(), "`LONG` panics, or another setting does");
    assert_eq!(two.jitter.unwrap().to_string(), "6 s");
    assert!(audit.to_string().contains("60 s ± `unset()` panics"), "{audit}");
}

#[tokio::test]
async fn who_loads_depends_on_the_cache_of_now() {
    let cell = |name: &str| {
        let text = audit().to_string();
        let line = text.lines().find(|line| line.contains(&format!("::{name}:v1"))).unwrap();
        line.split("  ").map(str::trim).find(|cell| cell.contains("caller")).unwrap().to_owned()
    };
    with_cache(Cache::builder().build(), async {
        assert_eq!(
            cell("price"),
            "one caller of all processes (of this one: no store), cut off after 1500 ms"
        );
        assert_eq!(cell("in_process"), "one caller of each process");
        assert!(audit().to_string().contains("cache default, without a store"));
    })
    .await;
    let store = RedisStore::connect("redis://127.0.0.1:1").unwrap();
    with_cache(Cache::builder().store(store).build(), async {
        assert_eq!(cell("price"), "one caller of all processes, cut off after 1500 ms");
        assert_eq!(cell("in_process"), "one caller of each process");
    })
    .await;
    with_cache(Cache::disabled(), async {
        assert_eq!(cell("no_jitter"), "every caller, uncached");
    })
    .await;
    assert_eq!(cell("absent"), "every caller, uncached", "nothing has that name");
}
