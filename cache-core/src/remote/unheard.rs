//! What somebody has begun to tell the store. Unless it is known to have heard of it, it is owed.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::debts::{Lease, is_to_be_repeated};
use super::{Errand, Remote};
use crate::budget::Budget;
use crate::store::{Load, Mark};

/// A change of a key that is under way. Unless the store is known to have heard of it, the key is
/// invalidated behind: also where the caller leaves.
pub(crate) struct Unsent(Option<(Arc<Remote>, Arc<str>)>);

impl Unsent {
    pub(crate) fn new(remote: &Arc<Remote>, key: &Arc<str>) -> Self {
        Self(Some((Arc::clone(remote), Arc::clone(key))))
    }

    /// The store has made the change, or refused it for good.
    pub(crate) fn heard(mut self) {
        self.0 = None;
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        if let Some((remote, key)) = self.0.take() {
            remote.owe(&key);
        }
    }
}

/// What a load held, on its way back. If the store is not known to have heard of it, as without a
/// runtime, it is told later, until it has lapsed.
pub(crate) struct Release {
    remote: Arc<Remote>,
    lease: Option<Lease>,
}

impl Release {
    /// `life`: after that it has lapsed.
    pub(crate) fn new(
        remote: &Arc<Remote>,
        tag: &Arc<str>,
        load: Load,
        mark: Mark,
        life: Duration,
    ) -> Self {
        let (tag, until) = (Arc::clone(tag), Instant::now() + life);
        Self { remote: Arc::clone(remote), lease: Some(Lease { tag, load, mark, until }) }
    }

    pub(crate) async fn send(mut self, budget: Duration) {
        let Some(Lease { tag, load, mark, .. }) = self.lease.clone() else { return };
        let mut budget = Budget::new(budget);
        let ask = self
            .remote
            .ask(Errand::Other, &tag, &mut budget, |store, key| store.abandon(key, load, mark));
        if !is_to_be_repeated(&ask.await.map(drop)) {
            self.lease = None;
        }
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            self.remote.debts.add_lease(lease);
            self.remote.mend_debts();
        }
    }
}
