//! How much of a call's time may go into the store.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::error::{Error, ErrorKind};
use crate::store::Reply;

/// Time a call may spend on the store, all its commands together, before it goes on without it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    full: Duration,
    left: Duration,
    /// What is left was not spent on the store.
    is_rest: bool,
}

/// What came of one command.
pub(crate) struct Spent<T> {
    pub(crate) answer: Result<T, Error>,
    /// The store had too little time for its silence to mean anything.
    pub(crate) was_short: bool,
}

impl Budget {
    pub(crate) fn new(full: Duration) -> Self {
        Self { full, left: full, is_rest: false }
    }

    /// What is left of `full` for one of many questions.
    pub(crate) fn rest_of(full: Duration, left: Duration) -> Self {
        Self { full, left: left.min(full), is_rest: true }
    }

    pub(crate) fn refill(&mut self) {
        self.left = self.full;
    }

    /// One command. Its time is taken from the budget; when the budget is gone, nothing is sent.
    pub(crate) async fn spend<T>(&mut self, reply: Reply<'_, T>) -> Spent<T> {
        let (started, given) = (Instant::now(), self.left);
        let answer = if given.is_zero() { None } else { timeout(given, reply).await.ok() };
        self.left = self.left.saturating_sub(started.elapsed());
        // A call that has spent its time on slow answers was not short of it: they are the fault.
        let was_short = given.is_zero() || self.is_rest && given < self.full / 2;
        match answer {
            Some(answer) => Spent { answer, was_short: false },
            None => {
                let what = format!("the store did not answer within the budget of {:?}", self.full);
                Spent { answer: Err(Error::new(ErrorKind::Timeout, what)), was_short }
            }
        }
    }
}
