//! Waiting for another process: woken by message, by the end of its lease, or by a jittered pause.

use std::time::Duration;

use rand::RngExt as _;
use tokio::time::{Instant, sleep, timeout};

use crate::store::{Subscription, Token};
use crate::target::Target;

/// Waiting for another process.
#[derive(Default)]
pub(crate) struct Waiting {
    wake: Option<Subscription>,
    deaf: bool,
    holder: Option<(Token, Instant)>,
    /// The lease was to be taken from the holder, and was not.
    is_denied: bool,
    fallback: Option<Fallback>,
}

impl Waiting {
    /// Waits for a wake-up, the lapse of the lease, or the fallback pause. The first call only
    /// subscribes: the caller looks once more before it waits. Returns the holder to take the
    /// lease from once it has been waited for long enough.
    pub(crate) async fn wait(
        &mut self,
        target: &mut Target,
        by: Token,
        wait: Duration,
        lapses: Duration,
    ) -> Option<Token> {
        let since = match self.holder {
            Some((holder, since)) if holder == by => since,
            _ => {
                self.is_denied = false;
                self.holder.insert((by, Instant::now())).1
            }
        };
        let patience = wait.saturating_sub(since.elapsed());
        let is_over = patience.is_zero();
        if is_over && !std::mem::replace(&mut self.is_denied, true) {
            return Some(by);
        }
        if self.wake.is_none() && !self.deaf && self.subscribe(target).await {
            return None;
        }
        let fallback = self.fallback.get_or_insert(Fallback(Fallback::FIRST)).next();
        let lapsed = lapses.saturating_add(Duration::from_millis(1));
        let pause = fallback.min(lapsed).min(if is_over { fallback } else { patience });
        match &mut self.wake {
            Some(wake) => drop(timeout(pause, wake.changed()).await), // woken or not: look again
            None => sleep(pause).await,
        }
        is_over.then_some(by)
    }

    async fn subscribe(&mut self, target: &mut Target) -> bool {
        let Some(shared) = target.shared.clone() else { return false };
        let subscribed = shared.remote.listen(&shared.tag, &mut target.budget).await;
        self.deaf = subscribed.is_err();
        self.wake = subscribed.ok();
        !self.deaf
    }
}

/// The pause before a waiter looks again although nothing woke it: it grows, and no two are alike.
struct Fallback(Duration);

impl Fallback {
    const FIRST: Duration = Duration::from_millis(250);
    /// With its jitter below what a marker and an entry stand for at least: one look sees them.
    const LONGEST: Duration = Duration::from_millis(700);

    fn next(&mut self) -> Duration {
        let pause = self.0.mul_f64(rand::rng().random_range(0.6..1.4));
        self.0 = (self.0 * 2).min(Self::LONGEST);
        pause
    }
}
