//! A cache, and which one a call uses.

mod builder;

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use once_cell::sync::OnceCell;
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::events::{Event, Once};
use crate::key::Key;
use crate::running::Shutdown;
use crate::tiers::Tiers;

pub use builder::CacheBuilder;

/// Where values are kept: in this process alone, or in a shared store too.
///
/// Cheap to clone. Most programs build one at start and [`install`] it; cached functions find it.
#[derive(Clone)]
pub struct Cache {
    pub(crate) tiers: Arc<Tiers>,
    pub(crate) disabled: bool,
}

impl Cache {
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

    /// How often there was trouble of this kind: with the store, with what is stored, or with a value
    /// that was to be. Each kind is logged once a minute, with what to do about it.
    #[must_use]
    pub fn errors(&self, kind: ErrorKind) -> u64 {
        self.tiers.remote.as_ref().map_or(0, |remote| remote.troubles.count(kind))
    }

    /// Whether callers skip the store, all of it or a part, because it is known to be away.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        self.tiers.remote.as_ref().is_some_and(|remote| remote.is_degraded())
    }

    /// Keys with a flight or a running load at this moment; zero when idle.
    #[must_use]
    pub fn flights(&self) -> usize {
        self.tiers.flights.len()
    }

    /// How long the oldest of the loads that run in this process has been running. An alarm on this
    /// finds the loader that never returns.
    #[must_use]
    pub fn oldest_load(&self) -> Option<Duration> {
        self.tiers.flights.oldest().map(|since| since.elapsed())
    }

    /// Finishes what runs behind its callers, for `deadline` at most, and gives back what the loads of
    /// this process hold in the store. To be called once before the program ends, when it takes no
    /// more requests.
    ///
    /// From the call on no load goes on without its caller. Loads that run, behind their callers or
    /// not, have until the deadline. What is not at its end by then is given up: behind callers it is
    /// aborted; in a caller's task it may go on, but its lease is given back. That wakes who waits for
    /// it elsewhere, as the end of any load does, and takes no longer than the cache's
    /// [`io_budget`](CacheBuilder::io_budget), twice. Then invalidations that the store has not heard
    /// of yet are sent, where it answers now.
    ///
    /// Calls made afterwards still work: their loads and refreshes run in their callers, and end with
    /// them. A program that ends or dies without a shutdown costs the others one lease at most for
    /// each key it was loading.
    ///
    /// Clones of the cache are the same cache. A second shutdown waits too, and gives the sum since
    /// the first one began. Within a loader this waits for itself, until the deadline.
    ///
    /// # Cancel safety
    /// Dropped, it stops waiting: loads go on, nothing is given back, and the cache stays shut down.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn shutdown(&self, deadline: Duration) -> Shutdown {
        let farewell = self.tiers.defaults.io_budget;
        let mut sum = self.tiers.running.shut_down(deadline, farewell).await;
        if let Some(remote) = &self.tiers.remote {
            let _ = timeout(farewell, remote.send_owed()).await;
            sum.unsent = remote.owes();
        }
        if sum.unsent > 0 {
            let invalidations = sum.unsent;
            tracing::warn!(invalidations, "the store never heard of these: the program ends");
        }
        sum
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
            .field("remote", &self.tiers.remote)
            .field("local", &self.tiers.local)
            .finish_non_exhaustive()
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
        if shared && cache.tiers.remote.is_none() {
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
