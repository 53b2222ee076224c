//! What is measured: second by second, from outside.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// What happened within one second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Second {
    /// Callers who came.
    pub(crate) calls: u32,
    /// Of these, those who were answered at once.
    pub(crate) hits: u32,
    /// Of these, those who went away.
    pub(crate) gone: u32,
    /// Queries that were sent to the backend.
    pub(crate) loads: u32,
}

/// How a caller fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fared {
    Hit,
    Waited,
    Gone,
}

pub(crate) struct Gauge {
    start: Instant,
    seconds: Mutex<Vec<Second>>,
}

impl Gauge {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), seconds: Mutex::default() }
    }

    pub(crate) fn now(&self) -> usize {
        usize::try_from(self.start.elapsed().as_secs()).expect("a few minutes")
    }

    fn note(&self, second: usize, change: impl FnOnce(&mut Second)) {
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        if seconds.len() <= second {
            seconds.resize(second + 1, Second::default());
        }
        change(&mut seconds[second]);
    }

    pub(crate) fn load(&self) {
        self.note(self.now(), |second| second.loads += 1);
    }

    /// A caller who came in that second is done.
    pub(crate) fn done(&self, came: usize, fared: Fared) {
        self.note(came, |second| {
            second.calls += 1;
            second.hits += u32::from(fared == Fared::Hit);
            second.gone += u32::from(fared == Fared::Gone);
        });
    }

    pub(crate) fn seconds(&self) -> Vec<Second> {
        self.seconds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All that happened in some seconds.
pub(crate) fn sum(seconds: &[Second], range: Range<usize>) -> Second {
    let add = |sum: Second, one: &Second| Second {
        calls: sum.calls + one.calls,
        hits: sum.hits + one.hits,
        gone: sum.gone + one.gone,
        loads: sum.loads + one.loads,
    };
    seconds[range].iter().fold(Second::default(), add)
}

impl Second {
    pub(crate) fn hit_ratio(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.calls.max(1))
    }
}
