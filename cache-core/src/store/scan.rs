//! A look at all keys of a store, step by step, one primary after another.

use std::sync::Arc;

/// What [`Store::scan`](super::Store::scan) answers.
#[derive(Debug, Clone)]
pub struct Scan {
    /// Where each primary's keys begin.
    pub primaries: Vec<Cursor>,
    /// Changes with who serves what. While it stays, no key has gone from a primary that was yet to
    /// be looked through to one that was already.
    pub layout: u64,
}

/// Where a look goes on. Only the store that made it knows what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The primary.
    pub primary: Arc<str>,
    /// The server's own word for the place; 0 is the beginning.
    pub at: u64,
    /// On which connection it was said; 0 at the beginning. Another server's cursors mean something
    /// else.
    pub connection: u64,
}

/// What [`Store::scan_on`](super::Store::scan_on) answers.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// Names as the store knows them, suffixes included.
    pub names: Vec<String>,
    /// Where to go on; `None` at the end.
    pub next: Option<Cursor>,
}

impl Cursor {
    /// The beginning of a primary's keys.
    #[must_use]
    pub fn first(primary: Arc<str>) -> Self {
        Self { primary, at: 0, connection: 0 }
    }
}
