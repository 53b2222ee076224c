//! What went wrong with the store: counted by kind, and said to the person on call once a minute
//! and kind, with what to do about it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};
use crate::events::Seldom;

#[derive(Debug)]
pub(crate) struct Troubles([Trouble; ErrorKind::COUNT]);

#[derive(Debug)]
struct Trouble {
    count: AtomicU64,
    told: Seldom,
}

impl Default for Troubles {
    fn default() -> Self {
        Self(
            [const { Trouble { count: AtomicU64::new(0), told: Seldom::new() } }; ErrorKind::COUNT],
        )
    }
}

impl Troubles {
    /// Counts the error, and logs it where the last of its kind is a minute old. `key` as logs may
    /// show it.
    pub(crate) fn note(&self, error: &Error, key: impl fmt::Display) {
        let Trouble { count, told } = &self.0[error.kind() as usize];
        count.fetch_add(1, Ordering::Relaxed);
        if told.due() {
            let (kind, advice) = (error.kind(), advice(error.kind()));
            let error = error as &dyn std::error::Error;
            tracing::warn!(?kind, %key, error, advice, "the cache has trouble");
        }
    }

    pub(crate) fn count(&self, kind: ErrorKind) -> u64 {
        self.0[kind as usize].count.load(Ordering::Relaxed)
    }
}

/// What to do about it.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unavailable => {
            "callers load for themselves until the store is back; is it running, is its address \
             right, does a firewall or a password stand in the way?"
        }
        ErrorKind::Timeout => {
            "the store is slow, stopped or cut off, or this process has no time to read answers; \
             look at its slow log, its load and the network"
        }
        ErrorKind::Loading => "the store reads its data after a start; this ends by itself",
        ErrorKind::ReadOnly => {
            "this is a replica, or a primary that was demoted; connect through Sentinel or Cluster, \
             or to the new primary"
        }
        ErrorKind::OutOfMemory => {
            "nothing is stored any more; raise `maxmemory`, or set `maxmemory-policy` to `allkeys-lfu`"
        }
        ErrorKind::Denied => {
            "give the account its rights: `+@read +@write +@scripting +time +publish +subscribe \
             +unsubscribe`, with `~{namespace:*` and `&{namespace:*`; behind sentinels also `+role`, on \
             a cluster `+cluster|slots +asking +spublish +ssubscribe +sunsubscribe`"
        }
        ErrorKind::NoScript => "the store does not keep scripts; is there a proxy in between?",
        ErrorKind::Moved => {
            "the cluster is moving slots or has lost a primary; if this stays, `CLUSTER INFO` tells \
             why, and a cluster needs a store that was built for one"
        }
        ErrorKind::WrongType => {
            "something else writes under this cache's namespace; give the cache one of its own"
        }
        ErrorKind::Shape => {
            "the value is loaded, and stored beside it; another version of this program runs, or one \
             with other codecs: enable the same features in both"
        }
        ErrorKind::Corrupt => {
            "the value is loaded anew; does something else write under this cache's namespace, or \
             change bytes on their way?"
        }
        ErrorKind::Ahead => {
            "the value is loaded anew; a server's clock was wrong, or two servers differ: look after \
             their time service"
        }
        ErrorKind::TooLarge => {
            "the value is returned, not stored; store less, or in parts, or compress (feature `zstd`)"
        }
        ErrorKind::Unstorable => {
            "the value is returned, not stored; `testing::assert_roundtrip` tells why in a test"
        }
        ErrorKind::Refused | ErrorKind::Protocol => {
            "is this a Redis or Valkey server of version 6.2 or later, without a proxy in between?"
        }
        ErrorKind::Key | ErrorKind::Config => "see the error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_each_for_itself() {
        let troubles = Troubles::default();
        for kind in [ErrorKind::Timeout, ErrorKind::Timeout, ErrorKind::Config] {
            troubles.note(&Error::new(kind, "a test"), "{key}");
        }
        let counts = [ErrorKind::Timeout, ErrorKind::Config, ErrorKind::Unavailable]
            .map(|kind| troubles.count(kind));
        assert_eq!(counts, [2, 1, 0]);
    }
}
