//! The shared level as the run time sees it: bytes, leases and wake-ups of one key at a time.
//!
//! A store keeps, for every key, in one atomic domain: an *entry* per value shape, one *lease*
//! (token and takeover count, with an expiry), one *generation*, one *marker* and one *load mark*.
//! Every method is one round trip and atomic, but for looks at all keys ([`Store::scan`]). Nothing here has a deadline of its own: the caller
//! sets one ([`crate::Cache`] gives all I/O of a call one budget) and a dropped future must leave
//! the store usable.

mod scan;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use rand::RngExt as _;
use tokio::sync::watch;

use crate::clock::Timestamp;
use crate::error::Error;

pub use scan::{Cursor, Scan, Scanned};

/// What every method of a [`Store`] returns.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Which shape of value an entry holds; entries of different shapes live side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(pub u64);

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Random bytes beside an entry, replaced by `invalidate`, `expire` and `prime`. A load begun
/// under another generation cannot be stored. Absent ([`Generation::NONE`]) is a value like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Generation(pub [u8; 8]);

impl Generation {
    /// No generation has been written, or it has left after its ten minutes.
    pub const NONE: Self = Self([0; 8]);
    /// How long a generation stays, and so how far back a load may have begun to be stored.
    pub const LIFE: Duration = Duration::from_secs(600);

    /// A generation never used before.
    #[must_use]
    pub fn fresh() -> Self {
        Self(rand::rng().random())
    }
}

/// Proof that a lease is ours: random per acquisition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(pub u128);

impl Token {
    /// A token never used before.
    #[must_use]
    pub fn fresh() -> Self {
        Self(rand::rng().random())
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What [`Store::begin`] is asked.
#[derive(Debug, Clone, Copy)]
pub struct Begin {
    /// The shape the caller can read.
    pub shape: Shape,
    /// An entry begun later than this is the answer; [`Timestamp::MAX`] refuses every entry.
    pub after: Timestamp,
    /// The token of the lease, should it be granted.
    pub token: Token,
    /// Life of the lease and of the load mark.
    pub lease: Duration,
    /// Whether a lease is wanted at all (not for the jitter strategy).
    pub exclusive: bool,
    /// Takes over from this holder, if it still holds the lease.
    pub over: Option<Token>,
    /// The caller has something to serve: a standing marker sends it away.
    pub refresh: bool,
    /// The caller has a value that may stand in for a failed load: the marker of a failure sends it
    /// away.
    pub last_resort: bool,
}

/// What [`Store::begin`] answers.
#[derive(Debug)]
pub struct Begun {
    /// The server's clock inside the script; the load's version if one is begun.
    pub time: Timestamp,
    /// The generation the load runs under.
    pub generation: Generation,
    /// What to do.
    pub next: Next,
}

/// The step [`Store::begin`] decided on.
#[derive(Debug)]
pub enum Next {
    /// An entry that answers: begun after [`Begin::after`].
    Entry(Vec<u8>),
    /// Load. The lease is ours (`exclusive` asked), was not asked for, or a marker stands.
    Lead {
        /// Whether the lease is ours and must be renewed.
        leased: bool,
        /// Loads of this key now running in the fleet, this one included.
        running: u32,
    },
    /// Somebody else holds the lease.
    Held {
        /// The holder.
        by: Token,
        /// How many times the lease has been taken over.
        takeovers: u32,
        /// When it lapses unless renewed.
        lapses: Duration,
    },
    /// The last load failed, or left nothing to store, and the caller has something to serve: try
    /// again after this.
    Failing(Duration),
}

/// The running load a renewal, commit or abandonment speaks for.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Token given to [`Store::begin`].
    pub token: Token,
    /// Generation [`Store::begin`] answered.
    pub generation: Generation,
    /// Time [`Store::begin`] answered.
    pub begun: Timestamp,
    /// Whether a lease was granted.
    pub leased: bool,
}

/// Whether [`Store::commit`] stored, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// The entry is there.
    Stored,
    /// `invalidate`, `expire` or `prime` came in between.
    Superseded,
    /// The load began longer ago than a generation lives.
    TooLate,
    /// An entry whose load began later is there.
    Older,
}

/// Why a load left nothing stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It failed: an error or a panic. The marker unlocks for `first`, and keeps refreshes away for
    /// `first`, doubled per further failure in a row, at most `most`. A load that began before the
    /// last failure was noted belongs to the same incident.
    Failed {
        /// How long the marker of a first failure stands.
        first: Duration,
        /// How long it stands at most.
        most: Duration,
    },
    /// It gave a value that cannot be, or is not to be, stored.
    Unstored(Duration),
    /// It was given up without a result.
    Nothing,
}

/// One field of [`Store::replace`].
#[derive(Debug)]
pub struct Replacement {
    /// The field: a shape's name as [`Store::read_all`] gave it.
    pub field: Vec<u8>,
    /// The bytes that were read.
    pub old: Vec<u8>,
    /// The bytes to put there.
    pub new: Vec<u8>,
}

/// The shared level. `key` is the whole key of the store, tag and namespace included.
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// The server's clock as far as this process knows it.
    fn now(&self) -> Timestamp;

    /// No earlier than the server's clock: [`now`](Self::now) and all that is not known about it.
    fn latest(&self) -> Timestamp;

    /// Which part of the store serves the key, where parts can fail each for itself: callers skip
    /// a part that is away, not the whole. Small numbers; by default there is one part.
    fn lane(&self, _key: &str) -> usize {
        0
    }

    /// The entry of this shape. One read, no lock.
    fn read<'a>(&'a self, key: &'a str, shape: Shape) -> Reply<'a, Option<Vec<u8>>>;

    /// Every entry of the key with its field's name.
    fn read_all<'a>(&'a self, key: &'a str) -> Reply<'a, Vec<(Vec<u8>, Vec<u8>)>>;

    /// Looks once more and, if a load is due, begins it. Order of the answers: an entry begun
    /// after [`Begin::after`] whose stamp is not over a second ahead; a marker in the way of a
    /// refresh or of a last resort; a marker that unlocks; the lease; held.
    fn begin<'a>(&'a self, key: &'a str, begin: Begin) -> Reply<'a, Begun>;

    /// Extends lease and load mark to `lease` from now. A lapsed lease nobody took is taken again
    /// while the generation stands. `false` when it is somebody else's now. A load without a lease
    /// only extends its load mark, and that is `true`.
    fn renew<'a>(&'a self, key: &'a str, load: Load, lease: Duration) -> Reply<'a, bool>;

    /// Stores `entry` unless the generation changed, the load is too old, or a later one has
    /// stored; in each case frees what the load held and wakes who waits.
    fn commit<'a>(
        &'a self,
        key: &'a str,
        load: Load,
        shape: Shape,
        entry: &'a [u8],
    ) -> Reply<'a, Committed>;

    /// Frees what the load held, leaves a marker (only under the same generation) and wakes who
    /// waits. `false` when the generation has changed: what the load brought is not for newcomers.
    fn abandon<'a>(&'a self, key: &'a str, load: Load, mark: Mark) -> Reply<'a, bool>;

    /// Removes every entry, the lease and the marker, writes a new generation, wakes who waits.
    fn invalidate<'a>(&'a self, key: &'a str) -> Reply<'a, ()>;

    /// [`invalidate`](Self::invalidate), with this entry in place of the old ones.
    fn prime<'a>(&'a self, key: &'a str, shape: Shape, entry: &'a [u8]) -> Reply<'a, ()>;

    /// Puts the new bytes in place of the old if all are as they were read and no field was added;
    /// then a new generation, no lease, no marker, and a wake-up. `false` when something changed.
    fn replace<'a>(&'a self, key: &'a str, fields: &'a [Replacement]) -> Reply<'a, bool>;

    /// Where a look at all keys begins: a cursor for every primary there is now.
    fn scan<'a>(&'a self) -> Reply<'a, Scan>;

    /// A step of that look at one primary: the names that begin with `prefix`, of whatever the store
    /// keeps (entries, leases, markers, load marks, generations), among the next thousand or so. What
    /// is there from the first step to the last is told at least once; what comes or goes meanwhile
    /// may be. [`ErrorKind::Moved`](crate::ErrorKind::Moved) where the cursor means nothing any more:
    /// begin again.
    fn scan_on<'a>(&'a self, prefix: &'a str, from: &'a Cursor) -> Reply<'a, Scanned>;

    /// Hears of every commit, abandonment and invalidation of the key from the moment this
    /// resolves until the subscription is dropped. Messages may be lost: arm a timer too.
    fn subscribe<'a>(&'a self, key: &'a str) -> Reply<'a, Subscription>;
}

/// A live interest in one key's wake-ups.
pub struct Subscription {
    changes: watch::Receiver<u64>,
    _interest: Box<dyn Send + Sync>,
}

impl Subscription {
    /// `changes` moves at each message; `interest` is dropped with the subscription.
    pub fn new(changes: watch::Receiver<u64>, interest: impl Send + Sync + 'static) -> Self {
        Self { changes, _interest: Box::new(interest) }
    }

    /// The next message. Pending for ever once the connection behind it is gone. Cancel-safe.
    pub async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}
