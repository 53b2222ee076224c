//! How many loads run in this process at once: of one function, of one cache.
//!
//! Permits are taken only by trying, like the seat of a flight: a fair queue would hand one to a
//! waiter that is not being polled, and with it all loads would stand still. Whoever gets a permit
//! back wakes one waiter, and a waiter tries again whenever it is polled.
//!
//! That is the first to come, or the last, where many wait: while more is asked for than can be
//! loaded, somebody has to go away without an answer, and who came first would get its permit when
//! its caller is about to leave. Loads that cannot outlive their callers would then all be lost, and
//! what they were to load would go on missing.

mod caps;
mod nesting;

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;
use tokio::time::Instant;

pub(crate) use caps::{Admitted, Caps, Pass};
pub(crate) use nesting::{Loading, Nesting, cycle};

/// More waiters than this for each load that may run are many. Up to here the first to come waits
/// for no more than as many loads, one after the other.
const MANY: usize = 4;

/// A number of loads that may run at once.
pub(crate) struct Permits {
    number: usize,
    free: AtomicUsize,
    freed: Notify,
    waiting: AtomicUsize,
    /// When a permit last came back, or was given out over the number.
    moved: Mutex<Option<Instant>>,
}

/// The right to run a load. It comes back when the last load that runs on it is over.
#[derive(Clone)]
pub(crate) struct Permit(Arc<Held>);

struct Held {
    permits: Arc<Permits>,
    /// Not given out over the number.
    counts: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.counts {
            self.permits.free.fetch_add(1, Ordering::SeqCst);
        }
        *self.permits.moved() = Some(Instant::now());
        self.permits.wake();
    }
}

impl Permits {
    pub(crate) fn new(number: usize) -> Self {
        Self {
            number,
            free: AtomicUsize::new(number),
            freed: Notify::new(),
            waiting: AtomicUsize::new(0),
            moved: Mutex::new(None),
        }
    }

    /// A permit of one's own, if one is free at this moment.
    fn try_own(self: &Arc<Self>) -> Option<Permit> {
        let taken = |free: usize| free.checked_sub(1);
        self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, taken).ok()?;
        Some(self.permit(true))
    }

    fn permit(self: &Arc<Self>, counts: bool) -> Permit {
        Permit(Arc::new(Held { permits: Arc::clone(self), counts }))
    }

    /// Wakes one of those who wait.
    fn wake(&self) {
        if self.waiting.load(Ordering::Relaxed) > self.number.saturating_mul(MANY) {
            self.freed.notify_last();
        } else {
            self.freed.notify_one();
        }
    }

    fn has_free(&self) -> bool {
        self.free.load(Ordering::SeqCst) > 0
    }

    fn moved(&self) -> MutexGuard<'_, Option<Instant>> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A permit over the number, where nothing has moved since then: the loads that hold the
    /// others may be waiting for this one. One at a time.
    fn over(self: &Arc<Self>, still_since: Instant) -> Option<Permit> {
        let mut moved = self.moved();
        if moved.is_some_and(|moved| moved > still_since) {
            return None;
        }
        *moved = Some(Instant::now());
        Some(self.permit(false))
    }
}

impl Permit {
    fn downgrade(&self) -> Weak<Held> {
        Arc::downgrade(&self.0)
    }

    fn is_of(&self, permits: &Permits) -> bool {
        ptr::eq(&*self.0.permits, permits)
    }
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permits({} free)", self.free.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

#[cfg(test)]
mod tests;
