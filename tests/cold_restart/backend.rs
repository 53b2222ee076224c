//! The backend: so many servers, a queue before them, and no ear for callers who leave.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::gauge::Gauge;
use crate::setting::SETTING;

/// A handle, cheap to clone.
#[derive(Clone)]
pub(crate) struct Backend(Arc<State>);

struct State {
    servers: Semaphore,
    slowdown: AtomicU32,
    /// Queries that were sent and are not answered.
    sent: AtomicUsize,
    most: AtomicUsize,
    gauge: Arc<Gauge>,
}

impl Backend {
    pub(crate) fn new(gauge: Arc<Gauge>) -> Self {
        Self(Arc::new(State {
            servers: Semaphore::new(SETTING.servers),
            slowdown: AtomicU32::new(1),
            sent: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            gauge,
        }))
    }

    /// One load. A query that was sent is worked off whether or not somebody still waits for its
    /// answer: a database does not notice that its client has gone before it answers.
    pub(crate) async fn load(&self, key: u32) -> u32 {
        let state = Arc::clone(&self.0);
        state.gauge.load();
        let sent = state.sent.fetch_add(1, Ordering::Relaxed) + 1;
        state.most.fetch_max(sent, Ordering::Relaxed);
        let query = tokio::spawn(async move {
            let server = state.servers.acquire().await.expect("never closed");
            sleep(state.span()).await;
            drop(server);
            state.sent.fetch_sub(1, Ordering::Relaxed);
        });
        query.await.expect("queries do not panic");
        key
    }

    pub(crate) fn slow_down(&self, by: u32) {
        self.0.slowdown.store(by, Ordering::Relaxed);
    }

    /// The most queries it ever had at once, those in its queue included.
    pub(crate) fn most_at_once(&self) -> usize {
        self.0.most.load(Ordering::Relaxed)
    }
}

impl State {
    fn span(&self) -> Duration {
        SETTING.cost * self.slowdown.load(Ordering::Relaxed)
    }
}
