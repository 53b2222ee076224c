//! The records that scripts write beside an entry, and the entry's head, read as `common.lua` does.

use std::time::Duration;

use cache_core::Timestamp;
use cache_core::entry::HEADER;
use cache_core::store::{Mark, Next, Token};

/// A stamp further ahead than this is not believed.
const AHEAD: Duration = Duration::from_secs(1);
/// The last moment that `PEXPIREAT` takes and a script's number is exact for.
const LAST: u64 = 9_007_199_254_740_991;

/// Whether the entry counts: not over, and not stamped by a clock that ran ahead.
pub(super) fn stands(bytes: &[u8], now: Timestamp) -> bool {
    let latest = now.after(AHEAD).as_micros();
    bytes.len() >= HEADER
        && bytes.starts_with(b"HERD")
        && end_of(bytes).saturating_mul(1000) > now.as_micros()
        && u64_at(bytes, 48) <= latest
        && u64_at(bytes, 56) <= latest
}

/// The entry's version.
pub(super) fn begun_at(bytes: &[u8]) -> Timestamp {
    Timestamp::from_micros(u64_at(bytes, 48))
}

/// Its physical end in milliseconds.
pub(super) fn end_of(bytes: &[u8]) -> u64 {
    u64_at(bytes, 8).min(LAST)
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let eight = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// Who holds the lease.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder {
    pub(super) token: Token,
    takeovers: u32,
    left: Duration,
}

impl Holder {
    /// `left` in milliseconds. A lease that would never lapse, or is no lease at all, holds nobody
    /// up.
    pub(super) fn read(lease: &[u8], left: i64) -> Option<Self> {
        let (token, takeovers) = std::str::from_utf8(lease).ok()?.split_once(':')?;
        Some(Self {
            token: Token(u128::from_str_radix(token, 16).ok()?),
            takeovers: takeovers.parse().ok()?,
            left: Duration::from_millis(u64::try_from(left).ok().filter(|left| *left > 0)?),
        })
    }

    pub(super) fn holds(self) -> Next {
        Next::Held { by: self.token, takeovers: self.takeovers, lapses: self.left }
    }
}

/// What the last load left that stored nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marker {
    pub(super) has_failed: bool,
    count: u32,
    noted: Timestamp,
    pub(super) unlocks: Timestamp,
    pub(super) till: Timestamp,
}

impl Marker {
    pub(super) fn read(mark: &[u8]) -> Self {
        let parts = std::str::from_utf8(mark).unwrap_or_default().split(':').collect::<Vec<_>>();
        let [kind @ ("f" | "u"), count, moments @ ..] = &parts[..] else { return Self::default() };
        let [noted, unlocks, till] = moments else { return Self::default() };
        let moment = |digits: &str| Timestamp::from_micros(digits.parse().unwrap_or_default());
        Self {
            has_failed: *kind == "f",
            count: count.parse().unwrap_or_default(),
            noted: moment(noted),
            unlocks: moment(unlocks),
            till: moment(till),
        }
    }

    /// The text that takes this one's place, and how long it stays. `None`: nothing is left behind.
    /// A load begun before the last failure was noted belongs to the same incident.
    pub(super) fn after(
        self,
        mark: Mark,
        begun: Timestamp,
        now: Timestamp,
    ) -> Option<(String, Duration)> {
        let (kind, count, first, standing) = match mark {
            Mark::Nothing => return None,
            Mark::Unstored(stands) => ("u", 0, stands, stands),
            Mark::Failed { first, most } => {
                let last = if self.has_failed { self.count } else { 0 };
                let count = last + u32::from(begun >= self.noted || last == 0);
                let doubled = first.saturating_mul(2_u32.saturating_pow(count - 1));
                ("f", count, first, doubled.min(most.max(first)))
            }
        };
        let [noted, unlocks, till] =
            [now, now.after(first), now.after(standing)].map(Timestamp::as_micros);
        Some((format!("{kind}:{count}:{noted}:{unlocks}:{till}"), standing.saturating_mul(4)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn failures_in_a_row_double_and_those_side_by_side_do_not() {
        let mark = Mark::Failed { first: SECOND, most: 3 * SECOND };
        let fail = |marker: Marker, begun: u64, now: u64| {
            let [begun, now] =
                [begun, now].map(|second| Timestamp::from_micros(second * 1_000_000));
            let (text, _) = marker.after(mark, begun, now).unwrap();
            let marker = Marker::read(text.as_bytes());
            (marker, marker.till.since(now), marker.unlocks.since(now))
        };
        let (marker, stands, _) = fail(Marker::default(), 0, 10);
        assert_eq!(stands, SECOND);
        let (marker, stands, _) = fail(marker, 9, 11);
        assert_eq!(stands, SECOND, "it began before the failure was noted");
        let (marker, stands, _) = fail(marker, 12, 13);
        assert_eq!(stands, 2 * SECOND);
        let (_, stands, unlocks) = fail(marker, 14, 15);
        assert_eq!((stands, unlocks), (3 * SECOND, SECOND));
    }

    #[test]
    fn what_is_no_record_of_ours_says_nothing() {
        for mark in ["", "x", "f:1:2", "g:1:2:3:4", "f:1:2:3:4:5", "\u{fffd}"] {
            assert!(!Marker::read(mark.as_bytes()).has_failed, "{mark}");
        }
        for (lease, left) in [("", 5), ("ab", 5), ("ab:x", 5), ("zz:1", 5), ("ab:1", -1)] {
            assert!(Holder::read(lease.as_bytes(), left).is_none(), "{lease}");
        }
        assert!(Holder::read(b"ab:1", 5).is_some());
        assert!(!stands(b"HERD", Timestamp::ZERO) && begun_at(b"HERD") == Timestamp::ZERO);
    }
}
