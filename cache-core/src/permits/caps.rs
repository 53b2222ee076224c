//! All that limits one load: its function's number and its cache's. A permit of each is taken, or
//! none: who holds one while waiting for the other would stop loads that need only that.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::nesting::outer;
use super::{Permit, Permits};

/// The numbers that a load counts for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caps([Option<Arc<Permits>>; 2]);

/// A permit of each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pass([Option<Permit>; 2]);

/// How a wait for permits ended.
#[derive(Debug)]
pub(crate) enum Admitted {
    Within(Pass),
    /// Over the number: those who have the others do not move.
    Over(Pass),
}

impl Pass {
    pub(super) fn places(&self) -> &[Option<Permit>; 2] {
        &self.0
    }

    fn permits(&self) -> impl Iterator<Item = &Permit> {
        self.0.iter().flatten()
    }

    fn of(&self, permits: &Permits) -> Option<Permit> {
        self.permits().find(|permit| permit.is_of(permits)).cloned()
    }
}

impl Caps {
    pub(crate) fn new(function: Option<Arc<Permits>>, cache: Option<Arc<Permits>>) -> Self {
        Self([function, cache])
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &Arc<Permits>> {
        self.0.iter().flatten()
    }

    /// Whether a load that this one is started in has a permit that will do.
    pub(crate) fn have_outer(&self) -> bool {
        self.each().any(|permits| outer(permits).is_some())
    }

    /// A pass of one's own, if all of it is free at this moment.
    pub(crate) fn try_own(&self) -> Option<Pass> {
        self.pass(|_| None).ok()
    }

    /// What is granted already, the outer load's, or one's own; else which of them is lacking.
    fn try_pass(&self, granted: &Pass) -> Result<Pass, &Arc<Permits>> {
        self.pass(|permits| granted.of(permits).or_else(|| outer(permits)))
    }

    /// A permit of each: one that is `at_hand`, or one's own.
    fn pass(&self, at_hand: impl Fn(&Permits) -> Option<Permit>) -> Result<Pass, &Arc<Permits>> {
        // Looked at first: to take one and put it back would wake others for nothing.
        let lacks = |permits: &&Arc<Permits>| at_hand(permits).is_none() && !permits.has_free();
        if let Some(lacking) = self.each().find(lacks) {
            return Err(lacking);
        }
        let mut pass = Pass::default();
        for (permits, place) in self.0.iter().zip(&mut pass.0) {
            if let Some(permits) = permits {
                let permit = at_hand(permits).or_else(|| permits.try_own());
                *place = Some(permit.ok_or(permits)?);
            }
        }
        Ok(pass)
    }

    /// A pass at once, or none. Who waits already goes first, if it is being polled.
    pub(crate) async fn take(&self) -> Option<Pass> {
        let crowded = |permits: &Arc<Permits>| permits.waiting.load(Ordering::Relaxed) > 0;
        if self.each().any(|permits| outer(permits).is_none() && crowded(permits)) {
            tokio::task::yield_now().await;
        }
        self.try_pass(&Pass::default()).ok()
    }

    /// Waits for a pass. Where no permit has come back for as long as `patience`, the loads that
    /// hold them may be waiting for this one: it is let in over the number, one at a time.
    pub(crate) async fn wait(&self, patience: Duration) -> Admitted {
        let queued = Instant::now();
        let mut granted = Pass::default();
        loop {
            let lacking = match self.try_pass(&granted) {
                Ok(pass) if granted.permits().next().is_some() => return Admitted::Over(pass),
                Ok(pass) => return Admitted::Within(pass),
                Err(lacking) => lacking,
            };
            let still_since = lacking.moved().map_or(queued, |moved| moved.max(queued));
            let waited = async {
                let _waiting = Waiting::new(&lacking.waiting);
                self.queue(&granted, lacking).await
            };
            let waited = match still_since.checked_add(patience) {
                Some(end) => timeout_at(end, waited).await.ok(),
                None => Some(waited.await),
            };
            match waited {
                Some(Some(pass)) if granted.permits().next().is_none() => {
                    return Admitted::Within(pass);
                }
                Some(Some(pass)) => return Admitted::Over(pass),
                Some(None) => {} // something else is lacking now
                None => {
                    if let Some(over) = lacking.over(still_since) {
                        let free = granted.0.iter_mut().find(|place| place.is_none());
                        *free.expect("one place for each") = Some(over);
                    }
                }
            }
        }
    }

    /// Waits until `lacking` has a permit. `None`: it is no longer that which is lacking.
    async fn queue(&self, granted: &Pass, lacking: &Arc<Permits>) -> Option<Pass> {
        let mut freed = pin!(lacking.freed.notified());
        let pass = poll_fn(|cx| {
            loop {
                let woken = freed.as_mut().poll(cx).is_ready();
                match self.try_pass(granted) {
                    Ok(pass) => return Poll::Ready(Some(pass)),
                    Err(other) if !Arc::ptr_eq(other, lacking) => return Poll::Ready(None),
                    Err(_) if !woken => return Poll::Pending,
                    Err(_) => freed.set(lacking.freed.notified()),
                }
            }
        })
        .await;
        if lacking.has_free() {
            lacking.wake(); // who was woken for that one may not be polled: pass it on
        }
        pass
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
