//! What a test and its workers say to each other: one JSON object a line.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Holds a worker's [`Setup`].
pub(crate) const WORKER: &str = "HERDLESS_TEST_WORKER";
/// Begins every line of a worker: the test harness writes to the same pipe.
pub(crate) const MARK: char = '@';

/// What a worker is started with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// Where the backend counts.
    pub(crate) backend: String,
    /// Where the caches meet.
    pub(crate) place: Place,
    pub(crate) ttl: Duration,
    pub(crate) lease: Duration,
    pub(crate) wait: Duration,
}

/// Redis, as a store is told of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Place {
    Server(String),
    /// Behind sentinels, which know the primary by this name.
    Sentinels(String, Vec<String>),
    Cluster(Vec<String>),
}

/// A cached function of the worker: one per strategy, and one that shares its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Function {
    Lock,
    Xfetch,
    Ahead,
    Swr,
    Jitter,
    SharingErrors,
}

/// How a load behaves, should one be due.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The key's first load is held until the test opens the key's gate.
    pub(crate) first_is_held: bool,
    pub(crate) takes: Duration,
    /// Keeps the thread for this long: nothing else of the process runs meanwhile.
    pub(crate) blocks: Duration,
    pub(crate) fails: bool,
    pub(crate) size: usize,
    /// Notes which version of the entry it is about to replace.
    pub(crate) notes_version: bool,
}

impl Work {
    /// Nothing but the gate before the first load.
    pub(crate) fn held() -> Self {
        Self { first_is_held: true, ..Self::default() }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) what: What,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum What {
    Call {
        function: Function,
        key: String,
        work: Work,
    },
    /// A call every `every`, for `time`, each on its own.
    Calls {
        function: Function,
        key: String,
        work: Work,
        every: Duration,
        time: Duration,
    },
    Peek {
        function: Function,
        key: String,
    },
    Invalidate {
        function: Function,
        key: String,
    },
    Count,
    Shutdown {
        deadline: Duration,
    },
    /// Ends the process where it is.
    Exit,
    /// Panics in the main thread.
    Panic,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) id: u64,
    pub(crate) that: That,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum That {
    Answered(Answer),
    Done,
    Peeked(Option<u64>),
    Counted(Counts),
    /// Loads that finished, loads that were given up, leases that were given back.
    ShutDown(usize, usize, usize),
}

/// How one call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The number of the load that brought it, or the error's text.
    pub(crate) load: Result<u64, String>,
    pub(crate) kind: String,
}

/// What the worker's cache has counted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) flights: usize,
    pub(crate) hits: u64,
    pub(crate) older: u64,
    pub(crate) superseded: u64,
    pub(crate) too_large: u64,
    pub(crate) store_trouble: u64,
    /// The store has been away and is not asked.
    pub(crate) degraded: bool,
}
