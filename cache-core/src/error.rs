//! What can go wrong in the cache itself, and what a caller sees of a failed load.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

type Cause = Arc<dyn StdError + Send + Sync>;

/// Trouble with the cache, never with the loader: a cached function keeps its own return type.
///
/// Cheap to clone. Ask [`kind`](Self::kind) what happened and [`source`](StdError::source) why.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    what: Arc<str>,
    cause: Option<Cause>,
}

/// The kinds of [`Error`]. [`Cache::errors`](crate::Cache::errors) counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store cannot be reached.
    Unavailable,
    /// The store did not answer within its deadline.
    Timeout,
    /// The store has started and is still reading its data (`LOADING`).
    Loading,
    /// The store takes no writes: a replica, or a primary that was demoted (`READONLY`).
    ReadOnly,
    /// The store has no room for more (`OOM`).
    OutOfMemory,
    /// The account lacks a right (`NOPERM`, `NOAUTH`, `WRONGPASS`).
    Denied,
    /// The store forgot a script and did not take it again (`NOSCRIPT`).
    NoScript,
    /// The key is served by another node now (`MOVED`, `ASK`, `TRYAGAIN`, `CLUSTERDOWN`).
    Moved,
    /// Something of another type stands under the key (`WRONGTYPE`).
    WrongType,
    /// The store answered with another error of its own.
    Refused,
    /// The store answered something this version does not understand.
    Protocol,
    /// What is stored has another format, or a codec or compression that is not compiled in.
    Shape,
    /// What is stored is not intact, or belongs to another key.
    Corrupt,
    /// What is stored is stamped in the future of the store's own clock.
    Ahead,
    /// The value cannot be written by the chosen codec, or would not read back.
    Unstorable,
    /// The encoded value is over the size limit.
    TooLarge,
    /// The arguments cannot be written as a key.
    Key,
    /// The configuration makes no sense, or came too late.
    Config,
}

impl ErrorKind {
    pub(crate) const COUNT: usize = Self::Config as usize + 1;
}

impl Error {
    /// An error of this kind; `what` is one line without a full stop.
    pub fn new(kind: ErrorKind, what: impl Into<Arc<str>>) -> Self {
        Self { kind, what: what.into(), cause: None }
    }

    /// The same error with the reason behind it.
    #[must_use]
    pub fn because(self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { cause: Some(Arc::from(cause.into())), ..self }
    }

    /// What happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the store was away, silent or not ready, so that the same call may work later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        use ErrorKind::{Loading, Moved, ReadOnly, Timeout, Unavailable};
        matches!(self.kind, Unavailable | Timeout | Loading | ReadOnly | Moved)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind)
            .field("what", &self.what)
            .field("cause", &self.cause)
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// Why a load brought no value, in a form that every waiting caller can be given.
///
/// A function with `share_errors` or `timeout` turns this into its own error type by
/// `From<LoadFailed>` (`anyhow::Error` and `Box<dyn Error + Send + Sync>` have that already). Ask
/// [`reason`](Self::reason) what happened. Where the loader returned an error, that is the
/// [`source`](StdError::source), the same one for the leader and for everybody who waited.
#[derive(Debug, Clone)]
pub struct LoadFailed {
    function: &'static str,
    why: Why,
}

#[derive(Debug, Clone)]
enum Why {
    Failed(Cause),
    TimedOut(Duration),
    Overloaded(Duration),
}

/// Why a load brought no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The loader returned an error.
    Failed,
    /// The loader did not end within the function's `timeout`, and was dropped.
    TimedOut,
    /// The loader did not start within the function's `timeout`: as many loads as its
    /// `concurrency` allows were running.
    Overloaded,
}

impl LoadFailed {
    pub(crate) fn new(
        function: &'static str,
        cause: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { function, why: Why::Failed(Arc::from(cause.into())) }
    }

    pub(crate) fn timed_out(function: &'static str, limit: Duration) -> Self {
        Self { function, why: Why::TimedOut(limit) }
    }

    pub(crate) fn overloaded(function: &'static str, limit: Duration) -> Self {
        Self { function, why: Why::Overloaded(limit) }
    }

    /// The cached function whose load failed.
    #[must_use]
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// What happened.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self.why {
            Why::Failed(_) => Reason::Failed,
            Why::TimedOut(_) => Reason::TimedOut,
            Why::Overloaded(_) => Reason::Overloaded,
        }
    }

    /// Whether a loader ran out of time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.reason() == Reason::TimedOut
    }
}

impl fmt::Display for LoadFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = self.function;
        match self.why {
            Why::Failed(_) => write!(f, "loading `{function}` failed"),
            Why::TimedOut(limit) => {
                write!(f, "loading `{function}` timed out after {} s", limit.as_secs_f64())
            }
            Why::Overloaded(limit) => write!(
                f,
                "loading `{function}` did not start within {} s: too many loads were running",
                limit.as_secs_f64()
            ),
        }
    }
}

impl StdError for LoadFailed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.why {
            Why::Failed(cause) => Some(&**cause),
            Why::TimedOut(_) | Why::Overloaded(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_load_says_what_happened_in_one_line() {
        let failed = LoadFailed::new("rows", "the disk is gone");
        assert_eq!((failed.reason(), failed.is_timeout()), (Reason::Failed, false));
        assert_eq!(failed.to_string(), "loading `rows` failed");
        assert_eq!(failed.source().unwrap().to_string(), "the disk is gone");

        let late = LoadFailed::timed_out("rows", Duration::from_secs(2));
        assert_eq!((late.reason(), late.is_timeout()), (Reason::TimedOut, true));
        assert_eq!(late.to_string(), "loading `rows` timed out after 2 s");
        assert!(late.source().is_none());
        let late = LoadFailed::timed_out("rows", Duration::from_millis(250));
        assert_eq!(late.to_string(), "loading `rows` timed out after 0.25 s");

        let crowded = LoadFailed::overloaded("rows", Duration::from_secs(2));
        assert_eq!((crowded.reason(), crowded.is_timeout()), (Reason::Overloaded, false));
        let expected = "loading `rows` did not start within 2 s: too many loads were running";
        assert_eq!(crowded.to_string(), expected);
    }
}
