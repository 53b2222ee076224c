//! Values loaded while the store is away: kept in the process for a few seconds, so that fail-open
//! is no stampede.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::local::Kept;

/// Copies by the store's key; the least useful leave when the capacity is reached.
pub(crate) struct Spares(Cache<Arc<str>, Spare>);

#[derive(Clone)]
struct Spare {
    kept: Kept,
    until: Instant,
    /// Of the breaker: a copy dies once the store is back.
    episode: u64,
}

impl Spares {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(Cache::new(capacity))
    }

    pub(crate) fn get(&self, key: &str, episode: u64) -> Option<Kept> {
        let spare = self.0.get(key)?;
        (spare.episode == episode && spare.until > Instant::now()).then_some(spare.kept)
    }

    pub(crate) fn put(&self, key: &Arc<str>, kept: Kept, life: Duration, episode: u64) {
        let until = Instant::now() + life;
        self.0.insert(Arc::clone(key), Spare { kept, until, episode });
    }

    pub(crate) fn remove(&self, key: &str) {
        self.0.remove(key);
    }

    /// Keeps only those whose key `stays`.
    pub(crate) fn retain(&self, stays: impl Fn(&str) -> bool) {
        self.0.retain(|key, _| stays(key));
    }

    /// Gives their memory back.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }
}

impl fmt::Debug for Spares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spares({})", self.0.len())
    }
}
