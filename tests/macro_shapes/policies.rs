//! Every argument of the attribute, once.

use std::time::Duration;

use herdless::{Cache, cached};

use crate::{Loads, loads, twice_and_other};

const TTL: Duration = Duration::from_secs(60);
static COUNT: Loads = Loads::new();

#[cached(ttl = "1h", strategy = "swr", grace = "60s", jitter = "5m", reason = "a feed")]
async fn swr(id: u32) -> u32 {
    COUNT.add();
    id
}

#[cached(ttl = TTL, strategy = "ahead", stale_if_error = TTL * 2, reason = "a feed", lease = "5s", wait = 60)]
async fn ahead(id: u32) -> u32 {
    COUNT.add();
    id
}

#[cached(ttl = Duration::from_secs(9), strategy = "jitter", jitter = 9, reason = "cheap")]
async fn jitter(id: u32) -> u32 {
    COUNT.add();
    id
}

#[cached(ttl = 300, strategy = "xfetch", name = "early", version = 2, codec = "json")]
async fn xfetch(id: u32) -> u32 {
    COUNT.add();
    id
}

#[cached(ttl = 300, strategy = "lock", detach = false, refresh = "inline", codec = "bincode")]
async fn lock(id: u32) -> u32 {
    COUNT.add();
    id
}

#[cached(ttl = 300, scope = "process", refresh = "background", share_errors = false, detach = true)]
async fn process(id: u32) -> u32 {
    COUNT.add();
    id
}

#[cached(ttl = 300, crate = ::herdless, skip())]
async fn elsewhere(id: u32) -> u32 {
    COUNT.add();
    id
}

#[tokio::test]
async fn arguments() {
    twice_and_other!(swr(1) => 1, swr(2) => 2);
    twice_and_other!(ahead(1) => 1, ahead(2) => 2);
    twice_and_other!(jitter(1) => 1, jitter(2) => 2);
    twice_and_other!(xfetch(1) => 1, xfetch(2) => 2);
    twice_and_other!(lock(1) => 1, lock(2) => 2);
    twice_and_other!(process(1) => 1, process(2) => 2);
    twice_and_other!(elsewhere(1) => 1, elsewhere(2) => 2);
    loads(14, &COUNT);
}

#[cached(ttl = { let id = 30; Duration::from_secs(id) * 2 }, ttl_from = |id: &u32| { let id = u64::from(*id); Some(Duration::from_secs(id)) })]
async fn own_names(id: u32) -> u32 {
    COUNTED.add();
    id
}

static COUNTED: Loads = Loads::new();

#[tokio::test]
async fn settings_with_names_of_their_own() {
    twice_and_other!(own_names(60) => 60, own_names(0) => 0);
    twice_and_other!(own_names(60) => 60, own_names(0) => 0);
    loads(3, &COUNTED);
}

#[cached(ttl = 300, cache = "reports")]
async fn in_named_cache(id: u32) -> u32 {
    id
}

#[cached(ttl = 300, cache = cache, skip(cache))]
async fn in_given_cache(cache: &Cache, id: u32) -> u32 {
    let _ = cache;
    id
}

struct Shop {
    cache: Cache,
}

impl Shop {
    const TTL: Duration = Duration::from_secs(5);

    #[cached(ttl = Self::TTL, cache = self.cache, skip(self))]
    async fn own_cache(&self, id: u32) -> u32 {
        id
    }
}

#[tokio::test]
async fn caches() {
    let cache = Cache::builder().build();
    twice_and_other!(in_given_cache(&cache, 1) => 1, in_given_cache(&cache, 2) => 2);
    let shop = Shop { cache };
    twice_and_other!(shop.own_cache(1) => 1, shop.own_cache(2) => 2);
    drop(in_named_cache(1));
}
