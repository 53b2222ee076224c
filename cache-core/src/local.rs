//! The typed tier in the process: values as they are, a bound on their number, no serde.

use std::fmt;
use std::sync::Arc;

use quick_cache::sync::Cache;

use crate::codec::Value;
use crate::strategy::Times;

/// A value kept in the process.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) value: Value,
    pub(crate) times: Times,
}

/// Values by key; the least useful leave when the capacity is reached.
pub(crate) struct Local {
    kept: Cache<Arc<str>, Kept>,
}

impl Local {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { kept: Cache::new(capacity) }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Kept> {
        self.kept.get(key)
    }

    pub(crate) fn put(&self, key: &Arc<str>, kept: Kept) {
        self.kept.insert(Arc::clone(key), kept);
    }

    pub(crate) fn remove(&self, key: &str) {
        self.kept.remove(key);
    }

    /// Keeps only what has a key that `stays`.
    pub(crate) fn retain(&self, stays: impl Fn(&str) -> bool) {
        self.kept.retain(|key, _| stays(key));
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Local({} of {})", self.len(), self.kept.capacity())
    }
}
