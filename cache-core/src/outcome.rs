//! How a call was answered.

use std::time::Duration;

use crate::events::Event;

/// How a call was answered, from [`with_outcome`](crate::Call::with_outcome).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Where the answer came from.
    pub kind: Kind,
    /// Age of the stored value that was served; `None` for an error and for what was not stored.
    pub age: Option<Duration>,
    /// The shared store was of no help to this call, or its key could not be written.
    pub degraded: bool,
    /// Why there was nothing to serve, where there was nothing.
    pub miss: Option<Miss>,
}

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A fresh stored value.
    Hit,
    /// A stored value within grace.
    Stale,
    /// The last stored value, because the load failed.
    StaleOnError,
    /// Another caller's load, in this process or another one.
    Joined,
    /// This caller's own load.
    Computed,
    /// The loader alone.
    Bypassed,
}

/// Why nothing could be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Miss {
    /// Nothing was stored.
    Cold,
    /// What was stored is over.
    Expired,
    /// Another format, codec or value shape.
    Shape,
    /// Not intact, or not of this key.
    Corrupt,
    /// Stamped in the future.
    Ahead,
    /// The store did not answer.
    StoreDown,
}

impl Kind {
    pub(crate) fn event(self) -> Event {
        match self {
            Self::Hit => Event::Hit,
            Self::Stale => Event::Stale,
            Self::StaleOnError => Event::StaleOnError,
            Self::Joined => Event::Joined,
            Self::Computed => Event::Computed,
            Self::Bypassed => Event::Bypassed,
        }
    }
}

impl Miss {
    pub(crate) fn event(self) -> Event {
        match self {
            Self::Cold => Event::MissCold,
            Self::Expired => Event::MissExpired,
            Self::Shape => Event::MissShape,
            Self::Corrupt => Event::MissCorrupt,
            Self::Ahead => Event::MissAhead,
            Self::StoreDown => Event::MissDown,
        }
    }
}
