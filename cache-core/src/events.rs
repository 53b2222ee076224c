//! What happened, counted; and warnings that do not repeat themselves.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Something a cache counts. [`Cache::count`](crate::Cache::count) reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// A fresh value was served.
    Hit,
    /// A value within grace was served.
    Stale,
    /// The last value stood in for a failed load.
    StaleOnError,
    /// A caller took what another caller's load brought.
    Joined,
    /// A caller took what its own load brought.
    Computed,
    /// A loader was run without the cache.
    Bypassed,
    /// A loader was started under the cache.
    Load,
    /// Nothing was stored.
    MissCold,
    /// What was stored is over.
    MissExpired,
    /// What was stored has another format, codec or shape.
    MissShape,
    /// What was stored is not intact or not ours.
    MissCorrupt,
    /// What was stored is stamped in the future.
    MissAhead,
    /// There was nothing at hand, and the store was of no help.
    MissDown,
    /// A command failed, or was not answered in time. [`Cache::errors`](crate::Cache::errors) tells
    /// the kinds apart.
    StoreTrouble,
    /// A command was not sent: the store is known to be away.
    StoreSkipped,
    /// The store failed so often in a row that callers skip it until it answers again.
    BreakerOpened,
    /// A value was kept in the process for a while, because the store was away.
    PutAside,
    /// A key, or all values of a function, is to be invalidated once the store is back.
    InvalidationQueued,
    /// It would have been, but too many are already, or the store refused it for good.
    InvalidationLost,
    /// It was invalidated after the store had come back.
    InvalidationSent,
    /// A value was not stored: `invalidate`, `expire` or `prime` came during its load.
    Superseded,
    /// A value was not stored: its load took longer than a generation lives.
    TooLate,
    /// A value was not stored: one whose load began later is there.
    Older,
    /// A value was not stored: no codec can carry it.
    Unstorable,
    /// A value was not stored: over the size limit.
    TooLarge,
    /// A value was not stored: its ttl is zero, or its `ttl_from` said not to.
    TtlZero,
    /// A `None` was not stored: the function skips it.
    NoneSkipped,
    /// A load failed: its loader returned an error, or ran out of time.
    LoadFailed,
    /// A loader ran out of time and was dropped.
    LoadTimedOut,
    /// A load was left out, because as many as the function allows were running: the last value
    /// stood in, or it failed.
    Overloaded,
    /// A load was started although as many as the function allows were running: none of them had
    /// ended within `wait`.
    CapExceeded,
    /// A load called for its own value: that call ran its loader without the cache.
    Cycle,
    /// A loader panicked.
    LoadPanicked,
    /// A started load was given up with its caller.
    LoadLeft,
    /// A started load went on without its caller.
    LoadDetached,
    /// A load has run for five minutes and has no `timeout`: its lease is not renewed any more.
    LoadOverdue,
    /// A lease was no longer ours when it was renewed.
    LeaseLost,
    /// A stuck load was taken over, or another one started beside it.
    Takeover,
    /// A silent flight was replaced.
    Replaced,
}

const KINDS: usize = Event::Replaced as usize + 1;

/// One counter per [`Event`].
pub(crate) struct Counters([AtomicU64; KINDS]);

impl Default for Counters {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; KINDS])
    }
}

impl Counters {
    pub(crate) fn add(&self, event: Event) {
        self.0[event as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, event: Event) -> u64 {
        self.0[event as usize].load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

/// Says yes at most once a minute.
#[derive(Debug, Default)]
pub(crate) struct Seldom(Mutex<Option<Instant>>);

impl Seldom {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn due(&self) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| last.elapsed() >= Duration::from_secs(60));
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}

/// Says yes once.
#[derive(Debug, Default)]
pub(crate) struct Once(AtomicBool);

impl Once {
    pub(crate) const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    pub(crate) fn first(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
