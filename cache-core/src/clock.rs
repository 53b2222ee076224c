//! Time: one stamp, one owner, one hand-moved double.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use once_cell::sync::Lazy;
use tokio::time::Instant;

/// A moment in microseconds of some clock: the server's where a store is shared, else this
/// process's. Stamps of different clocks are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Before every moment.
    pub const ZERO: Self = Self(0);
    /// After every moment.
    pub const MAX: Self = Self(u64::MAX);

    /// The moment this many microseconds after the clock's zero.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the clock's zero.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Time passed since `earlier`; zero where `earlier` lies ahead.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// This moment, later by `span` (clamped to [`Timestamp::MAX`]).
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(micros(span)))
    }

    /// This moment, earlier by `span` (clamped to [`Timestamp::ZERO`]).
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(micros(span)))
    }
}

/// Whole microseconds, clamped instead of overflowing.
#[must_use]
pub(crate) fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

/// The process's clock. It never steps: wall time is read once, at first use, and monotonic time
/// is added to it.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead: Option<Arc<AtomicU64>>,
}

static START: Lazy<(Instant, Timestamp)> = Lazy::new(|| {
    let wall = SystemTime::UNIX_EPOCH.elapsed().unwrap_or(Duration::from_secs(1));
    (Instant::now(), Timestamp::from_micros(micros(wall)))
});

impl Clock {
    /// The real clock.
    #[must_use]
    pub const fn system() -> Self {
        Self { ahead: None }
    }

    /// A clock that stands still until [`advance`](Self::advance) moves it.
    #[must_use]
    pub fn manual() -> Self {
        Self { ahead: Some(Arc::new(AtomicU64::new(START.1.as_micros()))) }
    }

    /// Moves a manual clock. Does nothing to the real one.
    pub fn advance(&self, span: Duration) {
        if let Some(ahead) = &self.ahead {
            ahead.fetch_add(micros(span), Ordering::SeqCst);
        }
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.ahead {
            Some(ahead) => Timestamp(ahead.load(Ordering::SeqCst)),
            None => at(Instant::now()),
        }
    }
}

/// A moment before the first use is as good as one after it: in tests every runtime with a paused
/// clock has a time of its own, and another one may have run ahead before it asked first.
fn at(moment: Instant) -> Timestamp {
    let (start, wall) = *START;
    match moment.checked_duration_since(start) {
        Some(since) => wall.after(since),
        None => wall.before(start.duration_since(moment)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_before_the_first_use_of_the_clock_too() {
        let (start, wall) = *START;
        let second = Duration::from_secs(1);
        let before = start.checked_sub(second).expect("the machine has run for a second");
        assert_eq!(at(before), wall.before(second));
        assert_eq!(at(start), wall);
        assert_eq!(at(start + second), wall.after(second));
    }
}
