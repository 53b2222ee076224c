//! A cache, and which one a call uses.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use once_cell::sync::OnceCell;

use crate::clock::Clock;
use crate::codec::Codec;
use crate::error::{Error, ErrorKind};
use crate::events::{Counters, Event, Once};
use crate::key::{Key, KeySecret};
use crate::local::Local;
use crate::store::Store;
use crate::tiers::{Defaults, Holds, Tiers};

/// Where values are kept: in this process alone, or in a shared store too.
///
/// Cheap to clone. Most programs build one at start and [`install`] it; cached functions find it.
#[derive(Clone)]
pub struct Cache {
    pub(crate) tiers: Arc<Tiers>,
    pub(crate) disabled: bool,
}

/// Settings of a [`Cache`].
#[derive(Debug)]
#[must_use]
pub struct CacheBuilder {
    namespace: String,
    key_secret: Option<KeySecret>,
    store: Option<Arc<dyn Store>>,
    capacity: usize,
    clock: Clock,
    defaults: Defaults,
}

impl Cache {
    /// A builder with the defaults: no store, 10 000 values in the process.
    pub fn builder() -> CacheBuilder {
        CacheBuilder {
            namespace: String::new(),
            key_secret: None,
            store: None,
            capacity: 10_000,
            clock: Clock::system(),
            defaults: Defaults {
                lease: Duration::from_secs(3),
                wait: Duration::from_secs(30),
                codec: Codec::DEFAULT,
                io_budget: Duration::from_millis(250),
            },
        }
    }

    /// A cache that runs loaders and keeps nothing.
    #[must_use]
    pub fn disabled() -> Self {
        Self { disabled: true, ..Self::builder().capacity(1).build() }
    }

    /// The key as the store knows it: namespace first, all of it the hash tag of one cluster slot,
    /// [digests of secrets](crate::KeyWriter::digest) keyed by the cache's
    /// [`key_secret`](CacheBuilder::key_secret). Logs show keys in this form, also where values stay
    /// in the process.
    #[must_use]
    pub fn redis_key(&self, key: &Key) -> String {
        self.tiers.tag(key)
    }

    /// How often something happened since the cache was built.
    #[must_use]
    pub fn count(&self, event: Event) -> u64 {
        self.tiers.counters.get(event)
    }

    /// Keys with a flight or a running load at this moment; zero when idle.
    #[must_use]
    pub fn flights(&self) -> usize {
        self.tiers.flights.len()
    }

    /// Values kept in this process.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.tiers.local.len()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("namespace", &self.tiers.namespace)
            .field("store", &self.tiers.store)
            .field("local", &self.tiers.local)
            .finish_non_exhaustive()
    }
}

impl CacheBuilder {
    /// Shares values between processes.
    pub fn store(self, store: impl Store) -> Self {
        Self { store: Some(Arc::new(store)), ..self }
    }

    /// Comes first in every key of the store: one name per application.
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), ..self }
    }

    /// Keys the [digests of secrets](crate::KeyWriter::digest) that stand in keys: who reads the
    /// store or the logs cannot try out which argument it was.
    ///
    /// It must have 128 bits of entropy or more (sixteen random bytes, not a password), and be the
    /// same in every process that shares the store: with another one, a process neither finds nor
    /// invalidates what the others stored. Changing it is a cold start for functions with such
    /// digests; other keys stay.
    pub fn key_secret(self, secret: impl AsRef<[u8]>) -> Self {
        Self { key_secret: Some(KeySecret::new(secret.as_ref())), ..self }
    }

    /// Values kept in this process at most; the least useful leave. Default 10 000.
    pub fn capacity(self, values: usize) -> Self {
        Self { capacity: values, ..self }
    }

    /// The lease of functions that name none. Default 3 s, at least 100 ms.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.defaults.lease = lease;
        self
    }

    /// The wait of functions that name none. Default 30 s.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.defaults.wait = wait;
        self
    }

    /// The codec of functions that name none.
    pub fn codec(mut self, codec: Codec) -> Self {
        self.defaults.codec = codec;
        self
    }

    /// How long a call may spend on the store before it goes on without it. Default 250 ms.
    pub fn io_budget(mut self, budget: Duration) -> Self {
        self.defaults.io_budget = budget;
        self
    }

    /// The clock of values kept in this process, for tests of what happens later.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The cache.
    #[must_use]
    pub fn build(self) -> Cache {
        let tiers = Tiers {
            namespace: self.namespace,
            key_secret: self.key_secret,
            store: self.store,
            local: Local::new(self.capacity),
            flights: Arc::default(),
            counters: Counters::default(),
            clock: self.clock,
            defaults: self.defaults,
            holds: Holds::new(),
        };
        Cache { tiers: Arc::new(tiers), disabled: false }
    }
}

static DEFAULT: OnceCell<(Cache, String)> = OnceCell::new();
static NAMED: RwLock<Option<HashMap<String, Cache>>> = RwLock::new(None);

tokio::task_local! {
    static SCOPE: Cache;
}

/// Makes this the cache of every function that does not say otherwise.
///
/// # Errors
/// [`ErrorKind::Config`] when one is installed already, or the built-in default was used before;
/// the message names the place of that first use.
#[track_caller]
pub fn install(cache: Cache) -> Result<(), Error> {
    let place = Location::caller();
    DEFAULT.set((cache, format!("installed at {place}"))).map_err(|_| {
        let first = DEFAULT.get().map_or("", |(_, first)| first);
        Error::new(ErrorKind::Config, format!("a default cache is there already, {first}"))
    })
}

/// Makes this the cache of functions with `cache = "name"`.
///
/// # Errors
/// [`ErrorKind::Config`] when the name is taken.
pub fn install_named(name: impl Into<String>, cache: Cache) -> Result<(), Error> {
    let name = name.into();
    let mut named = NAMED.write().unwrap_or_else(PoisonError::into_inner);
    let named = named.get_or_insert_default();
    if named.contains_key(&name) {
        return Err(Error::new(
            ErrorKind::Config,
            format!("a cache named `{name}` is there already"),
        ));
    }
    named.insert(name, cache);
    Ok(())
}

/// Runs `future` with this cache for every cached call first polled within it, whatever is
/// installed: tests in one process do not see each other's values. A function with `cache = expr`
/// keeps its own.
pub fn with_cache<F: Future>(cache: Cache, future: F) -> impl Future<Output = F::Output> {
    SCOPE.scope(cache, future)
}

/// The default cache, if there is one yet: asking makes none.
pub(crate) fn installed() -> Option<Cache> {
    DEFAULT.get().map(|(cache, _)| cache.clone())
}

/// The cache installed under this name, if any.
pub(crate) fn installed_as(name: &str) -> Option<Cache> {
    let known = NAMED.read().unwrap_or_else(PoisonError::into_inner);
    known.as_ref().and_then(|named| named.get(name).cloned())
}

/// The cache this task runs under, if any.
pub(crate) fn scope() -> Option<Cache> {
    SCOPE.try_with(Clone::clone).ok()
}

/// The cache of a function that does not bring one along, seen from `function` at its first poll.
pub(crate) fn resolve(name: Option<&str>, function: &'static str, shared: bool) -> Cache {
    scope().or_else(|| name.map(named)).unwrap_or_else(|| {
        let default =
            || (Cache::builder().build(), format!("the built-in one, first used by `{function}`"));
        let (cache, _) = DEFAULT.get_or_init(default);
        if shared && cache.tiers.store.is_none() {
            warn_once(function);
        }
        cache.clone()
    })
}

fn named(name: &str) -> Cache {
    installed_as(name).unwrap_or_else(|| {
        static ABSENT: Once = Once::new();
        if ABSENT.first() {
            tracing::warn!(name, "no cache of this name is installed: its loaders run uncached");
        }
        static DISABLED: OnceCell<Cache> = OnceCell::new();
        DISABLED.get_or_init(Cache::disabled).clone()
    })
}

/// Eight workers with a cache each load eight times; say so once, but not to a test.
fn warn_once(function: &'static str) {
    static UNCONFIGURED: Once = Once::new();
    if UNCONFIGURED.first() && !is_test() {
        tracing::warn!(
            function,
            "values live in this process only: install a cache with a store at start \
             (`herdless::install`), or say `scope = \"process\"` where that is meant"
        );
    }
}

/// Cargo runs tests and benches out of `deps`, and nothing else.
fn is_test() -> bool {
    std::env::current_exe().is_ok_and(|path| path.parent().is_some_and(|dir| dir.ends_with("deps")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_documentation() {
        let CacheBuilder { capacity, defaults, .. } = Cache::builder();
        assert_eq!(capacity, 10_000);
        assert_eq!(defaults.lease, Duration::from_secs(3));
        assert_eq!(defaults.wait, Duration::from_secs(30));
        assert_eq!(defaults.io_budget, Duration::from_millis(250));
    }
}
