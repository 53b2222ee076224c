//! The same question about many keys: so many of them under way at once, over one connection.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Errand, Remote};
use crate::budget::Budget;
use crate::error::{Error, ErrorKind};

/// So many questions are under way at once: enough to fill the round trip, and no flood.
const AT_ONCE: usize = 64;

/// Asks about each. Dropped, it stops: what is under way may still be done.
pub(super) async fn each<T, F>(
    things: impl IntoIterator<Item = T>,
    ask: impl Fn(T) -> F,
    mut answered: impl FnMut(F::Output),
) where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let mut asked = JoinSet::new();
    for thing in things {
        if asked.len() >= AT_ONCE {
            take(&mut asked, &mut answered).await;
        }
        asked.spawn(ask(thing));
    }
    while !asked.is_empty() {
        take(&mut asked, &mut answered).await;
    }
}

async fn take<T: 'static>(asked: &mut JoinSet<T>, answered: &mut impl FnMut(T)) {
    if let Some(answer) = asked.join_next().await {
        answered(answer.expect("a question does not panic, and nobody else aborts it"));
    }
}

impl Remote {
    /// Invalidates the keys within `time`, all of them together. Returns those of which the store
    /// did not say that it is done.
    pub(crate) async fn invalidate_each(
        self: &Arc<Self>,
        keys: Vec<Arc<str>>,
        time: Duration,
    ) -> Vec<(Arc<str>, Error)> {
        let until = Instant::now() + time;
        let mut failed = Vec::new();
        let ask = |key| Arc::clone(self).invalidate_by(key, time, until);
        each(keys, ask, |answer| failed.extend(answer.err())).await;
        failed
    }

    async fn invalidate_by(
        self: Arc<Self>,
        key: Arc<str>,
        time: Duration,
        until: Instant,
    ) -> Result<(), (Arc<str>, Error)> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let what = format!("the store has not answered for all keys within {time:?}");
            return Err((key, Error::new(ErrorKind::Timeout, what)));
        }
        let mut budget = Budget::rest_of(time, left);
        let answer =
            self.ask(Errand::Other, &key, &mut budget, |store, key| store.invalidate(key)).await;
        answer.map_err(|error| (key, error))
    }
}
