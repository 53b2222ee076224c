//! How a cache is made.

use std::sync::Arc;
use std::time::Duration;

use super::Cache;
use crate::clock::Clock;
use crate::codec::{Codec, LARGEST};
use crate::events::Counters;
use crate::key::KeySecret;
use crate::local::Local;
use crate::permits::Permits;
use crate::remote::Remote;
use crate::store::Store;
use crate::tiers::{Defaults, Holds, Tiers};

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
    fallback_ttl: Duration,
    concurrency: usize,
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
                largest: LARGEST,
                compress_above: None,
            },
            fallback_ttl: Duration::from_secs(5),
            concurrency: 0,
        }
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

    /// Values that take more bytes are returned and not stored. Default and most are
    /// [`LARGEST`](crate::LARGEST), 8 MiB, before compression.
    pub fn max_value_bytes(mut self, bytes: usize) -> Self {
        self.defaults.largest = bytes.min(LARGEST);
        self
    }

    /// Values that take more bytes are compressed with Zstandard where that makes them smaller.
    ///
    /// Entries say whether they are, so the setting can change at any time, in both directions;
    /// but a process without the feature `zstd` misses what another one has compressed. It costs
    /// the task that loads about a millisecond for every 300 kB, and is of use where values are large
    /// and repeat themselves: 4096 is a good beginning.
    #[cfg(feature = "zstd")]
    pub fn compress_above(mut self, bytes: usize) -> Self {
        self.defaults.compress_above = Some(bytes);
        self
    }

    /// How long a call may spend on the store before it goes on without it. Default 250 ms.
    pub fn io_budget(mut self, budget: Duration) -> Self {
        self.defaults.io_budget = budget;
        self
    }

    /// How many loads may run in this process at once, of all functions of this cache together: for
    /// a backend that a cold start would flood. Any number by default. What a function says of its
    /// own loads counts as well, and the same rules hold: a load waits for its turn before it asks
    /// for a lease (where more than four wait for each that may run, the last to come goes first), or
    /// is answered by a value within `stale_if_error`, or fails after the function's `timeout`; a
    /// refresh is left out; a load inside a load runs on the outer one's permit; and where no load
    /// has ended for as long as the function's `wait`, one more is let in.
    pub fn concurrency(self, loads: usize) -> Self {
        Self { concurrency: loads, ..self }
    }

    /// How long a value stays in the process that was loaded while the store was away, at most.
    /// Default 5 s. Such copies are served to callers of this process alone, and die when the store
    /// answers again: until then an invalidation by another process does not reach them.
    pub fn fallback_ttl(self, ttl: Duration) -> Self {
        Self { fallback_ttl: ttl, ..self }
    }

    /// The clock of values kept in this process, for tests of what happens later.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The cache.
    #[must_use]
    pub fn build(self) -> Cache {
        let counters = Arc::<Counters>::default();
        let remote = self.store.map(|store| {
            let counters = Arc::clone(&counters);
            Arc::new(Remote::new(store, self.capacity, self.fallback_ttl, counters))
        });
        let cap = self.concurrency;
        let permits = (cap > 0).then(|| Arc::new(Permits::new(cap)));
        let tiers = Tiers {
            namespace: self.namespace,
            key_secret: self.key_secret,
            remote,
            local: Local::new(self.capacity),
            flights: Arc::default(),
            counters,
            clock: self.clock,
            defaults: self.defaults,
            holds: Holds::new(),
            running: Arc::default(),
            permits,
        };
        Cache { tiers: Arc::new(tiers), disabled: false }
    }
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
