//! How much of a call's time may go into the store.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::error::{Error, ErrorKind};
use crate::store::Reply;

/// Time a call may spend on the store before it goes on without it. Refilled by a wait or a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    full: Duration,
    left: Duration,
}

/// What came of one command.
pub(crate) struct Spent<T> {
    pub(crate) answer: Result<T, Error>,
    /// The store had too little time for its silence to mean anything.
    pub(crate) was_short: bool,
}

impl Budget {
    pub(crate) fn new(full: Duration) -> Self {
        Self { full, left: full }
    }

    /// What is left of `full` for one of many questions.
    pub(crate) fn rest_of(full: Duration, left: Duration) -> Self {
        Self { full, left: left.min(full) }
    }

    pub(crate) fn refill(&mut self) {
        self.left = self.full;
    }

    /// One command. Its time is taken from the budget; when the budget is gone, so is the command.
    pub(crate) async fn spend<T>(&mut self, reply: Reply<'_, T>) -> Spent<T> {
        let (started, given) = (Instant::now(), self.left);
        let answer = timeout(given, reply).await;
        self.left = self.left.saturating_sub(started.elapsed());
        match answer {
            Ok(answer) => Spent { answer, was_short: false },
            Err(_) => {
                let what = format!("the store did not answer within the budget of {:?}", self.full);
                let answer = Err(Error::new(ErrorKind::Timeout, what));
                Spent { answer, was_short: given < self.full / 2 }
            }
        }
    }
}
