//! The levels of one cache, and what is remembered beside them.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::codec::Codec;
use crate::events::Counters;
use crate::flight::Flights;
use crate::key::{Key, KeySecret};
use crate::local::Local;
use crate::permits::Permits;
use crate::remote::Remote;
use crate::running::Running;

/// Keys whose refresh is known to be futile for a while; more are forgotten, at the price of one
/// attempt each.
const HOLDS: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Tiers {
    pub(crate) namespace: String,
    pub(crate) key_secret: Option<KeySecret>,
    /// The shared level, where there is one.
    pub(crate) remote: Option<Arc<Remote>>,
    pub(crate) local: Local,
    pub(crate) flights: Arc<Flights>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) clock: Clock,
    pub(crate) defaults: Defaults,
    pub(crate) holds: Holds,
    /// What a shutdown waits for.
    pub(crate) running: Arc<Running>,
    /// How many loads may run at once, of all functions together.
    pub(crate) permits: Option<Arc<Permits>>,
}

impl Tiers {
    /// The key as the store and the logs know it.
    pub(crate) fn tag(&self, key: &Key) -> String {
        key.tag(&self.namespace, self.key_secret.as_ref())
    }
}

/// What functions that say nothing use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Defaults {
    pub(crate) lease: Duration,
    pub(crate) wait: Duration,
    pub(crate) codec: Codec,
    pub(crate) io_budget: Duration,
    /// Bytes of a written value at most.
    pub(crate) largest: usize,
    /// Written values of more bytes are packed.
    pub(crate) compress_above: Option<usize>,
}

/// Until when a key's refresh is not tried: somebody else holds it, or it failed.
pub(crate) struct Holds(Cache<Key, Hold>);

#[derive(Clone, Copy)]
struct Hold {
    until: Instant,
    failures: u32,
    /// The last load failed; else somebody else is at it.
    failing: bool,
}

impl Holds {
    pub(crate) fn new() -> Self {
        Self(Cache::new(HOLDS))
    }

    pub(crate) fn stands(&self, key: &Key) -> bool {
        self.0.peek(key).is_some_and(|hold| hold.until > Instant::now())
    }

    /// The last load failed, and it is too early for another one.
    pub(crate) fn fails(&self, key: &Key) -> bool {
        self.0.peek(key).is_some_and(|hold| hold.failing && hold.until > Instant::now())
    }

    /// Nothing to gain for `span`.
    pub(crate) fn hold(&self, key: &Key, span: Duration) {
        self.set(key, span, false);
    }

    /// The store says that the last load failed.
    pub(crate) fn failing(&self, key: &Key, span: Duration) {
        self.set(key, span, true);
    }

    fn set(&self, key: &Key, span: Duration, failing: bool) {
        let failures = self.0.peek(key).map_or(0, |hold| hold.failures);
        let hold = Hold { until: Instant::now() + span, failures, failing };
        self.0.insert(key.clone(), hold);
    }

    /// One more failure in a row: `first`, doubled per further one, at most `most`. Failures while
    /// the last one still holds are the same incident.
    pub(crate) fn failed(&self, key: &Key, first: Duration, most: Duration) {
        let (now, last) = (Instant::now(), self.0.peek(key));
        let failures = match last {
            Some(hold) if hold.until > now && hold.failures > 0 => hold.failures,
            last => last.map_or(0, |hold| hold.failures) + 1,
        };
        let span = first.saturating_mul(2_u32.saturating_pow(failures - 1)).min(most.max(first));
        self.0.insert(key.clone(), Hold { until: now + span, failures, failing: true });
    }

    pub(crate) fn clear_all(&self, belongs: impl Fn(&Key) -> bool) {
        self.0.retain(|key, _| !belongs(key));
    }

    pub(crate) fn clear(&self, key: &Key) {
        if self.0.peek(key).is_some() {
            self.0.remove(key);
        }
    }
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Holds({})", self.0.len())
    }
}
