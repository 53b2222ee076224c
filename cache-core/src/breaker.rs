//! Whether a part of the store is asked at all. Failures in a row open the breaker; then a
//! background task asks in the callers' place, and closes it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// So many failures in a row open it.
const FAILURES: u32 = 3;

#[derive(Debug, Default)]
pub(crate) struct Breaker {
    open: AtomicBool,
    failures: AtomicU32,
}

impl Breaker {
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }

    /// The store answered.
    pub(crate) fn answered(&self) {
        // While it is open, only the background task may judge.
        if self.failures.load(Ordering::Relaxed) != 0 && !self.is_open() {
            self.failures.store(0, Ordering::SeqCst);
        }
    }

    /// The store failed. `true`: that opened the breaker.
    pub(crate) fn failed(&self) -> bool {
        let failures = self.failures.fetch_add(1, Ordering::SeqCst) + 1;
        failures >= FAILURES && !self.open.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn close(&self) {
        self.failures.store(0, Ordering::SeqCst);
        self.open.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_failure_in_a_row_opens_it() {
        let breaker = Breaker::default();
        assert!(!breaker.failed() && !breaker.failed());
        breaker.answered();
        assert!(!breaker.failed() && !breaker.failed() && !breaker.is_open());
        assert!(breaker.failed() && breaker.is_open());
        assert!(!breaker.failed(), "it is open already");
    }

    #[test]
    fn an_answer_that_comes_late_does_not_close_it() {
        let breaker = Breaker::default();
        assert!([(); 3].map(|()| breaker.failed()).contains(&true));
        breaker.answered();
        assert!(breaker.is_open());
        breaker.close();
        assert!(!breaker.is_open() && !breaker.failed());
    }
}
