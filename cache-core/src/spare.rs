//! Values that were loaded and could not be stored: kept in the process for a few seconds, so that
//! fail-open is no stampede.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::local::Kept;
use crate::store::Generation;

/// Copies by the store's key; the least useful leave when the capacity is reached.
pub(crate) struct Spares(Cache<Arc<str>, (Spare, Instant)>);

#[derive(Clone)]
pub(crate) struct Spare {
    pub(crate) kept: Kept,
    /// Of its part of the store: a copy dies once that is back.
    pub(crate) episode: u64,
    /// Under which it would have been stored, had the store taken it.
    pub(crate) generation: Option<Generation>,
}

impl Spares {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(Cache::new(capacity))
    }

    pub(crate) fn get(&self, key: &str) -> Option<Spare> {
        let (spare, until) = self.0.get(key)?;
        (until > Instant::now()).then_some(spare)
    }

    pub(crate) fn put(&self, key: &Arc<str>, spare: Spare, life: Duration) {
        self.0.insert(Arc::clone(key), (spare, Instant::now() + life));
    }

    pub(crate) fn remove(&self, key: &str) {
        self.0.remove(key);
    }

    /// Keeps only those whose key `stays`.
    pub(crate) fn retain(&self, stays: impl Fn(&str) -> bool) {
        self.0.retain(|key, _| stays(key));
    }
}

impl fmt::Debug for Spares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spares({})", self.0.len())
    }
}
