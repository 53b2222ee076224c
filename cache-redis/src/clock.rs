//! The server's clock, as far as this process knows it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cache_core::Timestamp;

/// Own monotonic time begins here, for all clocks of the process, so that they can be compared.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A difference beyond this is a clock that was set, not one that drifts.
pub(crate) const JUMP: Duration = Duration::from_secs(1);

/// Two clocks drift apart by up to one part in this while both are being slewed.
const DRIFT: u32 = 2000;

/// Own monotonic time plus an offset to the server's `TIME`. It follows the wall clock until the
/// first sample.
#[derive(Debug)]
pub(crate) struct ServerClock {
    /// Microseconds to add to the time since `START`.
    offset: AtomicI64,
    best: Mutex<Option<Sample>>,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    offset: i64,
    /// Half the round trip: the server looked at its clock somewhere in between.
    uncertainty: Duration,
    taken: Instant,
}

impl Default for ServerClock {
    fn default() -> Self {
        let own = START.elapsed();
        let wall = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let offset = AtomicI64::new(signed(wall).saturating_sub(signed(own)));
        Self { offset, best: Mutex::new(None) }
    }
}

impl ServerClock {
    pub(crate) fn now(&self) -> Timestamp {
        let now = signed(START.elapsed()).saturating_add(self.offset.load(Ordering::Relaxed));
        Timestamp::from_micros(u64::try_from(now).unwrap_or(0))
    }

    /// The latest the server's clock can be.
    pub(crate) fn latest(&self) -> Timestamp {
        self.best().map_or(Timestamp::MAX, |best| self.now().after(best.doubt(Instant::now())))
    }

    /// Takes note of what the server's clock said between `sent` and `received`.
    pub(crate) fn learn(&self, server: Timestamp, sent: Instant, received: Instant) {
        let uncertainty = received.saturating_duration_since(sent) / 2;
        let own = signed((sent + uncertainty).saturating_duration_since(*START));
        let server = i64::try_from(server.as_micros()).unwrap_or(i64::MAX);
        let sample = Sample { offset: server.saturating_sub(own), uncertainty, taken: received };
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.is_none_or(|best| sample.replaces(best)) {
            *best = Some(sample);
            self.offset.store(sample.offset, Ordering::Relaxed);
        }
    }

    /// Whether the last good sample is missing or older than a minute.
    pub(crate) fn is_old(&self) -> bool {
        self.best().is_none_or(|best| best.taken.elapsed() > Duration::from_secs(60))
    }

    /// Shows the middle of what these clocks show, in doubt by as much as the furthest of them is
    /// away. Answers how far they are apart.
    pub(crate) fn agree<'a>(&self, clocks: impl Iterator<Item = &'a Self>) -> Duration {
        let mut samples: Vec<Sample> = clocks.filter_map(Self::best).collect();
        samples.sort_unstable_by_key(|sample| sample.offset);
        let Some(middle) = samples.get(samples.len() / 2) else { return Duration::ZERO };
        let taken = Instant::now();
        let doubt = samples.iter().map(|sample| sample.apart(*middle) + sample.doubt(taken));
        let uncertainty = doubt.max().unwrap_or_default();
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        *best = Some(Sample { offset: middle.offset, uncertainty, taken });
        self.offset.store(middle.offset, Ordering::Relaxed);
        samples[0].apart(samples[samples.len() - 1])
    }

    fn best(&self) -> Option<Sample> {
        *self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sample {
    fn replaces(self, old: Self) -> bool {
        let aged = old.doubt(self.taken);
        self.uncertainty <= aged || self.apart(old) > JUMP + self.uncertainty + aged
    }

    /// How far off it may be at this moment.
    fn doubt(self, at: Instant) -> Duration {
        self.uncertainty + at.saturating_duration_since(self.taken) / DRIFT
    }

    fn apart(self, other: Self) -> Duration {
        Duration::from_micros(self.offset.abs_diff(other.offset))
    }
}

fn signed(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    /// The clock's distance from `1000 s` at its start, after samples of (server time, round trip).
    fn offset_after(samples: &[(u64, u64, u64)]) -> i64 {
        let clock = ServerClock::default();
        for &(at, server, round_trip) in samples {
            let sent = *START + Duration::from_micros(at);
            let received = sent + Duration::from_micros(round_trip);
            clock.learn(Timestamp::from_micros(server), sent, received);
        }
        clock.offset.load(Ordering::Relaxed)
    }

    #[test]
    fn the_middle_of_the_round_trip_is_taken() {
        assert_eq!(offset_after(&[(0, 1000 * SECOND, 2000)]), 1_000_000_000 - 1000);
    }

    #[test]
    fn a_slow_sample_does_not_replace_a_fast_one_until_it_has_aged() {
        let fast = (0, 1000 * SECOND, 1000);
        let slow = (SECOND, 1001 * SECOND + 100_000, 100_000);
        assert_eq!(offset_after(&[fast, slow]), offset_after(&[fast]));
        let late = (200 * SECOND, 1200 * SECOND + 50_000, 100_000);
        assert_eq!(offset_after(&[fast, late]), 1000 * 1_000_000);
    }

    #[test]
    fn a_cluster_goes_by_the_middle_of_its_clocks() {
        let clock = |server| {
            let clock = ServerClock::default();
            clock.learn(Timestamp::from_micros(server), *START, *START);
            clock
        };
        let clocks = [clock(990 * SECOND), clock(1000 * SECOND), clock(1001 * SECOND)];
        let ours = ServerClock::default();
        let apart = ours.agree(clocks.iter().chain([&ServerClock::default()]));
        assert_eq!(ours.offset.load(Ordering::Relaxed), 1_000_000_000);
        assert_eq!(apart, Duration::from_secs(11));
        // None of them can be later than the latest.
        assert!(ours.latest() >= clocks[2].latest());
        assert_eq!(ours.agree([].into_iter()), Duration::ZERO);
    }

    #[test]
    fn a_jump_is_followed_at_once() {
        let fast = (0, 1000 * SECOND, 1000);
        let jump = (SECOND, 1011 * SECOND, 100_000);
        assert_eq!(offset_after(&[fast, jump]), 1_010_000_000 - 50_000);
    }
}
