//! What must never happen.

use std::fmt;

/// A promise of the protocol that a step can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Promise {
    /// No store from a superseded generation.
    Generation,
    /// None over an entry whose load began later.
    BegunLater,
    /// No older value after a newer one.
    Newest,
    /// Who comes after a removal returned never gets a value whose load began before it.
    Removed,
    /// A lease leaves its holder by lapse, takeover or a change of the key, or when its load ends.
    Lease,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Generation => "a value of a superseded generation was stored",
            Self::BegunLater => "a value was stored over one whose load began later",
            Self::Newest => "an older value was stored after a newer one",
            Self::Removed => "a caller got a value whose load began before a removal it came after",
            Self::Lease => "somebody freed another load's lease",
        })
    }
}
