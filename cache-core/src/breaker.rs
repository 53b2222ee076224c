//! Whether callers ask the store at all. Failures in a row open the breaker; then a background task
//! asks in their place, and closes it again.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// So many failures in a row open it.
const FAILURES: u32 = 3;

/// Of one part of a store that fails by itself.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    open: AtomicBool,
    failures: AtomicU32,
    /// Times in which the store was there: what was put aside in an earlier one is out of date.
    episode: AtomicU64,
    mending: AtomicBool,
}

impl Breaker {
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }

    pub(crate) fn episode(&self) -> u64 {
        self.episode.load(Ordering::SeqCst)
    }

    /// The store answered.
    pub(crate) fn answered(&self) {
        if self.failures.load(Ordering::Relaxed) == 0 || self.is_open() {
            return; // while it is open, only the background task may judge
        }
        self.failures.store(0, Ordering::SeqCst);
        self.episode.fetch_add(1, Ordering::SeqCst);
    }

    /// The store failed. `true`: that opened the breaker.
    pub(crate) fn failed(&self) -> bool {
        let failures = self.failures.fetch_add(1, Ordering::SeqCst) + 1;
        failures >= FAILURES && self.trip()
    }

    /// Opens the breaker. `true`: it was closed.
    pub(crate) fn trip(&self) -> bool {
        !self.open.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn close(&self) {
        self.failures.store(0, Ordering::SeqCst);
        self.episode.fetch_add(1, Ordering::SeqCst);
        self.open.store(false, Ordering::SeqCst);
    }

    /// The right to be the background task, if nobody has it.
    pub(crate) fn claim(&self) -> bool {
        !self.mending.swap(true, Ordering::SeqCst)
    }

    /// The background task has ended.
    pub(crate) fn unclaim(&self) {
        self.mending.store(false, Ordering::SeqCst);
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
        assert!(breaker.trip() && !breaker.trip());
        breaker.answered();
        assert!(breaker.is_open());
        breaker.close();
        assert!(!breaker.is_open() && !breaker.failed());
    }

    #[test]
    fn whatever_follows_a_failure_begins_an_episode() {
        let breaker = Breaker::default();
        breaker.answered();
        assert_eq!(breaker.episode(), 0, "nothing was put aside");
        breaker.failed();
        assert_eq!(breaker.episode(), 0, "what is put aside now still counts");
        breaker.answered();
        assert_eq!(breaker.episode(), 1);
        breaker.trip();
        breaker.close();
        assert_eq!(breaker.episode(), 2);
    }

    #[test]
    fn there_is_one_background_task() {
        let breaker = Breaker::default();
        assert!(breaker.claim() && !breaker.claim());
        breaker.unclaim();
        assert!(breaker.claim());
    }
}
