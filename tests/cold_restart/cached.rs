//! The library: cached functions that differ in their settings alone.

use std::convert::identity;
use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Cache, CacheBuilder, Kind, Outcome, cached, with_cache};

use crate::backend::Backend;
use crate::gauge::Fared;
use crate::setting::SETTING;
use crate::source::{Asked, Source};

/// A cache for one scenario, its loads limited to what the backend works on at once.
pub(crate) fn capped() -> Cache {
    roomy().concurrency(SETTING.servers).build()
}

/// The same without a limit.
pub(crate) fn uncapped() -> Cache {
    roomy().build()
}

/// With room for every key: nothing is to leave before its time.
fn roomy() -> CacheBuilder {
    Cache::builder().capacity(200_000)
}

fn fared((_value, how): (u32, Outcome)) -> Fared {
    if how.kind == Kind::Hit { Fared::Hit } else { Fared::Waited }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($backend:ty, $lent:expr $(, $setting:meta)*);)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(backend: &Backend, cache: &Cache) -> Arc<dyn Source> {
            #[cached(ttl = SETTING.ttl, skip(backend) $(, $setting)*)]
            async fn load(backend: $backend, key: u32) -> u32 {
                backend.load(key).await
            }

            struct Cached(Backend, Cache);

            impl Source for Cached {
                fn ask(&self, key: u32) -> Asked<Fared> {
                    let backend = self.0.clone();
                    let ask = async move { fared(load($lent(&backend), key).with_outcome().await) };
                    Box::pin(with_cache(self.1.clone(), ask))
                }

                fn plant(&self, key: u32, age: Duration) -> Asked<()> {
                    let backend = self.0.clone();
                    let past = Past { age, fresh_for: SETTING.ttl, cost: Some(SETTING.cost) };
                    let planted = async move {
                        plant(&load($lent(&backend), key), key, past).await.expect("it is stored");
                    };
                    Box::pin(with_cache(self.1.clone(), planted))
                }

                fn remove(&self, key: u32) -> Asked<()> {
                    let backend = self.0.clone();
                    let removed = async move {
                        load($lent(&backend), key).invalidate().await.expect("no store to fail");
                    };
                    Box::pin(with_cache(self.1.clone(), removed))
                }
            }

            Arc::new(Cached(backend.clone(), cache.clone()))
        }
    )* };
}

functions! {
    lock(Backend, Backend::clone);
    ahead(Backend, Backend::clone, strategy = "ahead");
    xfetch(Backend, Backend::clone, strategy = "xfetch");
    /// Borrows, so its load lives and dies with its caller.
    inline(&Backend, identity);
    /// Borrows, and copies what it borrowed.
    detached(&Backend, identity, detach = true);
}
