//! Loads inside loads: the inner one runs on the outer one's permit, and does not wait for it.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use super::{Held, Pass, Permit, Permits};

thread_local! {
    /// The loads that are being polled here, the innermost first.
    static RUNNING: RefCell<Nesting> = const { RefCell::new(Nesting(None)) };
}

/// The loads that a load was started in, and itself. It goes with the load wherever that is polled.
#[derive(Clone)]
pub(crate) struct Nesting(Option<Arc<Running>>);

/// What is loaded.
#[derive(Clone)]
pub(crate) struct Loading {
    pub(crate) function: &'static str,
    /// Tells caches apart for as long as the load runs.
    pub(crate) cache: usize,
    pub(crate) key: Arc<str>,
}

struct Running {
    loading: Loading,
    permits: [Option<Weak<Held>>; 2],
    outer: Nesting,
}

impl Nesting {
    /// Of a load that starts here and now.
    pub(crate) fn here(loading: Loading, pass: &Pass) -> Self {
        let permits = pass.places().each_ref().map(|permit| permit.as_ref().map(Permit::downgrade));
        let outer = RUNNING.with_borrow(Clone::clone);
        Self(Some(Arc::new(Running { loading, permits, outer })))
    }

    /// Makes this what is being polled here, until the guard is dropped.
    pub(crate) fn enter(&self) -> Entered {
        Entered(RUNNING.replace(self.clone()))
    }

    /// The innermost first.
    fn find<T>(&self, mut visit: impl FnMut(&Running) -> Option<T>) -> Option<T> {
        let mut next = self.0.as_ref();
        while let Some(one) = next {
            if let Some(found) = visit(one) {
                return Some(found);
            }
            next = one.outer.0.as_ref();
        }
        None
    }
}

/// Puts back what was polled before, on a panic too.
pub(crate) struct Entered(Nesting);

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.set(Nesting(self.0.0.take()));
    }
}

/// The permit of a load that this one is started in, where that is still running.
pub(super) fn outer(permits: &Permits) -> Option<Permit> {
    let of_these =
        |held: &Weak<Held>| held.upgrade().map(Permit).filter(|permit| permit.is_of(permits));
    RUNNING
        .with_borrow(|running| running.find(|one| one.permits.iter().flatten().find_map(of_these)))
}

/// The functions from the load of this key, in which the call is made, down to the call: it would
/// wait for itself. `None`: no such load runs here.
pub(crate) fn cycle(loading: &Loading) -> Option<Vec<&'static str>> {
    let mut path = vec![loading.function];
    RUNNING.with_borrow(|running| {
        running.find(|one| {
            path.push(one.loading.function);
            (one.loading.cache == loading.cache && one.loading.key == loading.key).then_some(())
        })
    })?;
    path.reverse();
    Some(path)
}
