//! How many loads of one function run in this process at once.
//!
//! Permits are taken only by trying, like the seat of a flight: tokio's fair queue would hand one
//! to a waiter that is not being polled, and with it the whole function would stand still. Whoever
//! gets a permit back wakes one waiter, and a waiter tries again whenever it is polled.

use std::cell::RefCell;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::Duration;

use once_cell::sync::OnceCell;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

/// The permits of one function.
pub(crate) struct Permits {
    semaphore: OnceCell<Semaphore>,
    freed: Notify,
    waiting: AtomicUsize,
    /// When a permit last came back, or was given out over the number.
    moved: Mutex<Option<Instant>>,
}

/// How a wait for a permit ended.
#[derive(Debug)]
pub(crate) enum Admitted {
    Within(Permit),
    /// Over the number: those who have the others do not move.
    Over(Permit),
}

/// The right to run a load. It comes back when the last load that runs on it is over.
#[derive(Clone)]
pub(crate) struct Permit(Arc<Held>);

struct Held {
    permits: &'static Permits,
    permit: Option<SemaphorePermit<'static>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.permit.take());
        *self.permits.moved() = Some(Instant::now());
        self.permits.freed.notify_one();
    }
}

impl Permits {
    pub(crate) const fn new() -> Self {
        Self {
            semaphore: OnceCell::new(),
            freed: Notify::const_new(),
            waiting: AtomicUsize::new(0),
            moved: Mutex::new(None),
        }
    }

    /// The first `cap` counts for as long as the process runs.
    fn semaphore(&self, cap: usize) -> &Semaphore {
        self.semaphore.get_or_init(|| Semaphore::new(cap.min(Semaphore::MAX_PERMITS)))
    }

    /// A permit of one's own, if one is free at this moment.
    pub(crate) fn try_own(&'static self, cap: usize) -> Option<Permit> {
        let permit = self.semaphore(cap).try_acquire().ok()?;
        Some(Permit(Arc::new(Held { permits: self, permit: Some(permit) })))
    }

    /// The permit of the load that this one is started in, where that is of the same function.
    pub(crate) fn outer(&'static self) -> Option<Permit> {
        RUNNING.with_borrow(|running| {
            let mut next = running.0.as_ref();
            while let Some(one) = next {
                if ptr::eq(one.permits, self)
                    && let Some(held) = one.permit.upgrade()
                {
                    return Some(Permit(held));
                }
                next = one.outer.0.as_ref();
            }
            None
        })
    }

    /// A permit at once, or none. Who waits already goes first, if it is being polled.
    pub(crate) async fn take(&'static self, cap: usize) -> Option<Permit> {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            tokio::task::yield_now().await;
        }
        self.try_own(cap)
    }

    /// Waits for a permit. Where none has come back for as long as `patience`, the loads that hold
    /// them may be waiting for this one: it is let in over the number, one at a time.
    pub(crate) async fn wait(&'static self, cap: usize, patience: Duration) -> Admitted {
        let queued = Instant::now();
        loop {
            let still_since = self.moved().map_or(queued, |moved| moved.max(queued));
            let Some(end) = still_since.checked_add(patience) else {
                return Admitted::Within(self.queue(cap).await);
            };
            if let Ok(permit) = timeout_at(end, self.queue(cap)).await {
                return Admitted::Within(permit);
            }
            let mut moved = self.moved();
            if moved.is_none_or(|moved| moved <= still_since) {
                *moved = Some(Instant::now());
                return Admitted::Over(Permit(Arc::new(Held { permits: self, permit: None })));
            }
        }
    }

    fn moved(&self) -> MutexGuard<'_, Option<Instant>> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn queue(&'static self, cap: usize) -> Permit {
        let _waiting = Waiting::new(&self.waiting);
        let mut freed = pin!(self.freed.notified());
        let permit = poll_fn(|cx| {
            loop {
                let woken = freed.as_mut().poll(cx).is_ready();
                if let Some(permit) = self.try_own(cap) {
                    return Poll::Ready(permit);
                }
                if !woken {
                    return Poll::Pending;
                }
                freed.set(self.freed.notified());
            }
        })
        .await;
        if self.semaphore(cap).available_permits() > 0 {
            self.freed.notify_one(); // who was woken for that one may not be polled: pass it on
        }
        permit
    }
}

/// Counts a waiter, however its wait ends.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

thread_local! {
    /// The loads that are being polled here, the innermost first.
    static RUNNING: RefCell<Nesting> = const { RefCell::new(Nesting(None)) };
}

/// The loads that a load was started in, those with permits. It goes with the load wherever that
/// is polled.
#[derive(Clone)]
pub(crate) struct Nesting(Option<Arc<Running>>);

struct Running {
    permits: &'static Permits,
    permit: Weak<Held>,
    outer: Nesting,
}

impl Nesting {
    /// Of a load that starts here and now, itself included.
    pub(crate) fn here(permit: Option<&Permit>) -> Self {
        let outer = RUNNING.with_borrow(Clone::clone);
        let Some(Permit(held)) = permit else { return outer };
        if held.permits.outer().is_some_and(|Permit(outer)| Arc::ptr_eq(&outer, held)) {
            return outer; // it runs on that one
        }
        let permit = Arc::downgrade(held);
        Self(Some(Arc::new(Running { permits: held.permits, permit, outer })))
    }

    /// Makes this what is being polled here, until the guard is dropped.
    pub(crate) fn enter(&self) -> Entered {
        Entered(RUNNING.replace(self.clone()))
    }
}

/// Puts back what was polled before, on a panic too.
pub(crate) struct Entered(Nesting);

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.set(Nesting(self.0.0.take()));
    }
}

#[cfg(test)]
mod tests;
