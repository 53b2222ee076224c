//! What a function decided about its cache: how long, how stale, who refreshes, who waits.

use std::time::Duration;

use rand::RngExt as _;

use crate::codec::Codec;

/// No value lives longer than ten years: sums of spans then never overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

/// No lease is shorter: its renewal would have to be more often than a busy executor polls.
const SHORTEST_LEASE: Duration = Duration::from_millis(100);

/// A wait of zero would take over from everybody, for ever.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);

pub(crate) fn bounded_lease(lease: Duration) -> Duration {
    lease.clamp(SHORTEST_LEASE, LONGEST)
}

pub(crate) fn bounded_wait(wait: Duration) -> Duration {
    wait.clamp(SHORTEST_WAIT, LONGEST)
}

/// When a value that can still be served is recomputed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Strategy {
    /// At expiry: one caller loads, all others wait for it (or get the stale value within grace).
    Lock,
    /// Before expiry, by chance: each reader refreshes with p = exp(−remaining / (β · load cost)),
    /// gated by both locks. Vattani, Chierichetti, Lowenstein, PVLDB 8(8), 2015.
    /// Never before the last fifth of the life: uncapped, a slow backend keeps itself slow.
    Xfetch {
        /// Multiplies the lead; positive and finite. 1 is the published default.
        beta: f64,
    },
    /// Before expiry: the first reader within 2 · load cost of the end refreshes, never before the
    /// last fifth of the life.
    Ahead,
    /// At expiry, behind the stale value: the lock strategy with a grace period.
    Swr,
    /// At expiry, at a drawn moment; coalesced in the process, no lock between processes.
    Jitter,
}

impl Strategy {
    /// As the attribute spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Xfetch { .. } => "xfetch",
            Self::Ahead => "ahead",
            Self::Swr => "swr",
            Self::Jitter => "jitter",
        }
    }

    /// Whether at most one process loads at a time.
    #[must_use]
    pub fn is_protected(self) -> bool {
        self != Self::Jitter
    }
}

/// The settings of one cached function, evaluated anew at each look-up and store.
///
/// Spans are clamped where they are used, never overflow, and count on the server's clock where
/// a store is shared.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    pub(crate) ttl: Duration,
    pub(crate) strategy: Strategy,
    pub(crate) jitter: Duration,
    pub(crate) grace: Duration,
    pub(crate) stale_if_error: Duration,
    pub(crate) lease: Option<Duration>,
    pub(crate) wait: Option<Duration>,
    pub(crate) codec: Option<Codec>,
    pub(crate) detach: bool,
    pub(crate) refresh_behind: bool,
    pub(crate) none_for: Option<Duration>,
    pub(crate) timeout: Duration,
    pub(crate) concurrency: usize,
}

impl Policy {
    /// Fresh for `ttl` from the moment a value is stored, under [`Strategy::Lock`]. Zero: values
    /// are returned, not stored.
    #[must_use]
    pub const fn ttl(ttl: Duration) -> Self {
        Self {
            ttl,
            strategy: Strategy::Lock,
            jitter: Duration::ZERO,
            grace: Duration::ZERO,
            stale_if_error: Duration::ZERO,
            lease: None,
            wait: None,
            codec: None,
            detach: true,
            refresh_behind: true,
            none_for: None,
            timeout: Duration::ZERO,
            concurrency: 0,
        }
    }

    /// The same with another ttl.
    #[must_use]
    pub const fn with_ttl(self, ttl: Duration) -> Self {
        Self { ttl, ..self }
    }

    /// [`Strategy::Lock`], the default.
    #[must_use]
    pub const fn lock(self) -> Self {
        Self { strategy: Strategy::Lock, ..self }
    }

    /// [`Strategy::Xfetch`]. A `beta` that is not positive and finite is taken as 1.
    #[must_use]
    pub fn xfetch(self, beta: f64) -> Self {
        let beta = if beta.is_finite() && beta > 0.0 { beta } else { 1.0 };
        Self { strategy: Strategy::Xfetch { beta }, ..self }
    }

    /// [`Strategy::Ahead`].
    #[must_use]
    pub const fn ahead(self) -> Self {
        Self { strategy: Strategy::Ahead, ..self }
    }

    /// [`Strategy::Swr`]; set [`grace`](Self::grace) too.
    #[must_use]
    pub const fn swr(self) -> Self {
        Self { strategy: Strategy::Swr, ..self }
    }

    /// [`Strategy::Jitter`]; set [`jitter`](Self::jitter) too.
    #[must_use]
    pub const fn jittered(self) -> Self {
        Self { strategy: Strategy::Jitter, ..self }
    }

    /// Each stored ttl is drawn uniformly from [max(ttl − jitter, ttl/10), ttl + jitter]; at most
    /// the ttl itself.
    #[must_use]
    pub const fn jitter(self, jitter: Duration) -> Self {
        Self { jitter, ..self }
    }

    /// How long after its ttl a stale value is served while one refresh runs.
    #[must_use]
    pub const fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// How long after its ttl the last value may stand in when the load fails. Runs beside
    /// [`grace`](Self::grace), not after it.
    #[must_use]
    pub const fn stale_if_error(self, span: Duration) -> Self {
        Self { stale_if_error: span, ..self }
    }

    /// How long others wait for a loader that shows no sign of life. Default 3 s, at least 100 ms.
    #[must_use]
    pub const fn lease(self, lease: Duration) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// How long others wait for a loader that lives but does not finish. Default 30 s.
    #[must_use]
    pub const fn wait(self, wait: Duration) -> Self {
        Self { wait: Some(wait), ..self }
    }

    /// How values are written.
    #[must_use]
    pub const fn codec(self, codec: Codec) -> Self {
        Self { codec: Some(codec), ..self }
    }

    /// A load ends with the caller it runs in, even where it could be finished without it.
    #[must_use]
    pub const fn inline_load(self) -> Self {
        Self { detach: false, ..self }
    }

    /// A refresh runs in the caller that found it due, even where it could run behind it.
    #[must_use]
    pub const fn inline_refresh(self) -> Self {
        Self { refresh_behind: false, ..self }
    }

    /// How long a `None` lives at most, in place of the ttl; jitter only shortens it. Zero: it is
    /// returned, not stored. Without this it is a value like any other. Heeded where the function
    /// was told of it: `#[cached(none = ..)]`.
    #[must_use]
    pub const fn none_for(self, span: Duration) -> Self {
        Self { none_for: Some(span), ..self }
    }

    /// How long one run of the loader may take, wherever it runs; then it is dropped and counts as
    /// failed. Zero, the default: as long as it likes. A loader that keeps its thread is not
    /// interrupted. Heeded where the function can answer: its error is `From<LoadFailed>`.
    #[must_use]
    pub const fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How many loads of the function may run in this process at once; 0, the default: any number.
    /// The first cap counts for as long as the process runs.
    ///
    /// A load that finds the cap reached is answered by a value within
    /// [`stale_if_error`](Self::stale_if_error), else it waits, in the order of arrival as long as no
    /// more than four wait for each that may run, and fails once it has waited for
    /// [`timeout`](Self::timeout). A refresh of something that can be served is left out. A load
    /// started inside a load of the same function runs on the permit of that one, unless the body
    /// spawned a task for it. [`bypass`](crate::Call::bypass) needs no permit.
    #[must_use]
    pub const fn concurrency(self, loads: usize) -> Self {
        Self { concurrency: loads, ..self }
    }

    /// The time limit of one load, if there is one.
    pub(crate) fn limit(&self) -> Option<Duration> {
        (!self.timeout.is_zero()).then(|| self.timeout.min(LONGEST))
    }

    fn bounded_ttl(&self) -> Duration {
        self.ttl.min(LONGEST)
    }

    fn spread(&self) -> Duration {
        self.jitter.min(self.bounded_ttl())
    }

    /// The longest life a stored value of this policy can have.
    #[must_use]
    pub fn longest_life(&self) -> Duration {
        self.bounded_ttl() + self.spread()
    }

    /// Draws the life of one stored value.
    #[must_use]
    pub fn draw_life(&self, rng: &mut impl rand::Rng) -> Duration {
        self.draw(self.ttl, Duration::MAX, rng)
    }

    /// The same around a shorter `ttl`, and no longer than `most`.
    pub(crate) fn draw(&self, ttl: Duration, most: Duration, rng: &mut impl rand::Rng) -> Duration {
        let ttl = ttl.min(self.bounded_ttl()).min(most);
        let spread = self.jitter.min(ttl);
        if spread.is_zero() {
            return ttl;
        }
        let shortest = (ttl - spread).max(ttl / 10);
        let longest = (ttl + spread).min(most);
        shortest + (longest - shortest).mul_f64(rng.random::<f64>())
    }
}
