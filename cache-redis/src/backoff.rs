//! Pauses between attempts to connect.

use std::time::Duration;

use rand::RngExt as _;

const FIRST: Duration = Duration::from_millis(50);
const LAST: Duration = Duration::from_secs(1);

/// Pauses that double, each drawn from its upper half so that a fleet does not return in step.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Backoff {
    pub(crate) const fn new() -> Self {
        Self(FIRST)
    }

    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.0.mul_f64(rand::rng().random_range(0.5..1.0));
        self.0 = LAST.min(self.0 * 2);
        pause
    }
}
