//! What can go wrong in the cache itself, and what a caller sees of a failed load.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

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

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store cannot be reached.
    Unavailable,
    /// The store did not answer within its deadline.
    Timeout,
    /// The store answered with an error of its own.
    Refused,
    /// The store answered something this version does not understand.
    Protocol,
    /// The value cannot be written by the chosen codec, or would not read back.
    Unstorable,
    /// The encoded value is over the size limit.
    TooLarge,
    /// The arguments cannot be written as a key.
    Key,
    /// The configuration makes no sense, or came too late.
    Config,
}

impl Error {
    /// An error of this kind; `what` is one line without a full stop.
    pub fn new(kind: ErrorKind, what: impl Into<Arc<str>>) -> Self {
        Self { kind, what: what.into(), cause: None }
    }

    /// The same error with the reason behind it.
    #[must_use]
    pub fn because(self, cause: impl StdError + Send + Sync + 'static) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    /// What happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the store was away or silent, so that the same call may work later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self.kind, ErrorKind::Unavailable | ErrorKind::Timeout)
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
/// A function with `share_errors` turns this into its own error type by `From<LoadFailed>`
/// (`anyhow::Error` and `Box<dyn Error + Send + Sync>` have that already). The loader's error is
/// the [`source`](StdError::source), the same one for the leader and for everybody who waited.
#[derive(Debug, Clone)]
pub struct LoadFailed {
    function: &'static str,
    cause: Cause,
}

impl LoadFailed {
    pub(crate) fn new(
        function: &'static str,
        cause: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { function, cause: Arc::from(cause.into()) }
    }

    /// The cached function whose load failed.
    #[must_use]
    pub fn function(&self) -> &'static str {
        self.function
    }
}

impl fmt::Display for LoadFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loading `{}` failed", self.function)
    }
}

impl StdError for LoadFailed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.cause)
    }
}
