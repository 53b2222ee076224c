//! Pure decisions: (policy, entry times, now, a random draw) -> serve, refresh or load.
//!
//! Nothing here does I/O, reads a clock or draws a number, so nothing here can fail, and the same
//! code runs in the simulator.

mod ahead;
mod xfetch;

use std::time::Duration;

use crate::clock::Timestamp;
use crate::policy::{Policy, Strategy};

/// When an entry was made and how long its maker said it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// When the load began: with the key, the entry's version.
    pub begun: Timestamp,
    /// When the value was stored; its ttl counts from here.
    pub stored: Timestamp,
    /// Drawn ttl.
    pub fresh_for: Duration,
    /// Served stale for this long after `fresh_for`.
    pub grace: Duration,
    /// Stands in for a failed load for this long after `fresh_for`.
    pub stale_if_error: Duration,
    /// Smoothed cost of a load; `None` until one was measured.
    pub cost: Option<Duration>,
}

/// How an entry stands at one moment under one policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Within its ttl.
    Fresh,
    /// Past its ttl, within grace.
    Stale,
    /// Past grace, within stale_if_error.
    LastResort,
    /// Past everything.
    Gone,
}

/// What to do with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Serve it; it is fresh.
    Serve,
    /// Serve it and see that one refresh runs; `stale` says whether its ttl is over.
    Refresh {
        /// The ttl is over, grace is not.
        stale: bool,
    },
    /// There is nothing to serve.
    Load,
}

impl Times {
    /// Age at `now`; a stamp ahead of `now` has age zero.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Duration {
        now.since(self.stored)
    }

    /// Time until the ttl is over, under what the policy says today: a deploy that shortens a
    /// time works at once.
    #[must_use]
    pub fn remaining(&self, policy: &Policy, now: Timestamp) -> Duration {
        self.life(policy).saturating_sub(self.age(now))
    }

    fn life(&self, policy: &Policy) -> Duration {
        self.fresh_for.min(policy.longest_life())
    }

    /// How the entry stands.
    #[must_use]
    pub fn freshness(&self, policy: &Policy, now: Timestamp) -> Freshness {
        let age = self.age(now);
        let life = self.life(policy);
        if age < life {
            Freshness::Fresh
        } else if age - life < self.grace.min(policy.grace) {
            Freshness::Stale
        } else if age - life < self.stale_if_error.min(policy.stale_if_error) {
            Freshness::LastResort
        } else {
            Freshness::Gone
        }
    }
}

/// Decides what to do with an entry at `now`. `draw` is uniform in (0, 1] and used by xfetch only,
/// so it may be lazily made.
pub fn decide(
    policy: &Policy,
    times: &Times,
    now: Timestamp,
    draw: impl FnOnce() -> f64,
) -> Decision {
    match times.freshness(policy, now) {
        Freshness::Fresh if is_early(policy, times, now, draw) => {
            Decision::Refresh { stale: false }
        }
        Freshness::Fresh => Decision::Serve,
        Freshness::Stale => Decision::Refresh { stale: true },
        Freshness::LastResort | Freshness::Gone => Decision::Load,
    }
}

/// Whether to refresh a fresh entry. Never earlier than a fifth of its life before its end:
/// uncapped, a slow backend makes early refreshes that keep it slow.
fn is_early(policy: &Policy, times: &Times, now: Timestamp, draw: impl FnOnce() -> f64) -> bool {
    let remaining = times.remaining(policy, now);
    let Some(cost) = times.cost else { return false };
    if remaining > times.life(policy) / 5 {
        return false;
    }
    let cost = cost.max(Duration::from_millis(1)); // below that, clocks are too coarse
    match policy.strategy {
        Strategy::Xfetch { beta } => xfetch::is_due(remaining, cost, beta, draw()),
        Strategy::Ahead => ahead::is_due(remaining, cost),
        Strategy::Lock | Strategy::Swr | Strategy::Jitter => false,
    }
}

/// Load cost after one more measurement: an average that forgets by a quarter, so that one slow
/// load does not make the key refresh all the time.
#[must_use]
pub fn smooth(known: Option<Duration>, measured: Duration) -> Duration {
    known.map_or(measured, |known| known.mul_f64(0.75) + measured.mul_f64(0.25))
}

#[cfg(test)]
mod tests;
