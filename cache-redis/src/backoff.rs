//! Pauses between attempts to connect.

use std::time::Duration;

use rand::RngExt as _;

const FIRST: Duration = Duration::from_millis(50);
const LAST: Duration = Duration::from_secs(1);

/// Pauses that double, each drawn from its upper half so that a fleet does not return in step.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    last: Duration,
}

impl Backoff {
    pub(crate) const fn new() -> Self {
        Self::up_to(LAST)
    }

    /// Pauses that double up to this one.
    pub(crate) const fn up_to(last: Duration) -> Self {
        Self { next: FIRST, last }
    }

    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.next.mul_f64(rand::rng().random_range(0.5..1.0));
        self.next = self.last.min(self.next * 2);
        pause
    }
}
