//! The run time of `herdless`: keys, entries, strategies, flights and leases.
//!
//! The modules stand in the order of one call's path; each imports only from those below it. Use
//! the facade crate `herdless`; what is public here and not re-exported there serves generated
//! code and store crates.

#[cfg(feature = "testing")]
pub mod testing;
mod audit;
mod wrapper;
mod call;
mod groups;
mod handle;
mod run;
mod plan;
mod site;
mod cache;
mod loader;
mod meaning;
mod read;
mod waiting;
mod behind;
mod change;
mod load;
mod handover;
mod lease;
mod target;
mod limit;
mod tiers;
mod running;
mod remote;
mod flight;
mod spare;
mod local;
pub mod entry;
pub mod strategy;
mod registry;
mod life;
mod policy;
mod codec;
mod shape;
mod budget;
pub mod store;
mod permits;
mod key;
mod outcome;
mod breaker;
mod trouble;
mod events;
mod clock;
mod error;

pub use audit::{Audit, Audited, Check, Finding, Parameter, Setting, audit};
pub use cache::{Cache, CacheBuilder, install, install_named, with_cache};
pub use call::{Call, WithOutcome};
pub use clock::{Clock, Timestamp};
pub use codec::{Codec, Compression, LARGEST};
pub use error::{Error, ErrorKind, LoadFailed, Reason};
pub use events::Event;
pub use handle::{Change, Handle, Peek};
pub use key::{Key, KeyArgument, KeyWriter, LONGEST_ARGUMENTS};
pub use outcome::{Kind, Miss, Outcome};
pub use policy::{Policy, Strategy};
pub use registry::CachedFn;
pub use running::Shutdown;
pub use store::Store;

/// What generated code names. Exempt from semver: both sides are pinned to each other.
#[doc(hidden)]
pub mod private {
    pub use std::time::Duration;

    pub use inventory;

    pub use crate::codec::Codec;
    pub use crate::key::{Name, name_of};
    pub use crate::life::TtlFrom;
    pub use crate::loader::{Background, CanDetach, CannotCopy, CopyArgument, Detached};
    pub use crate::loader::{CopiedBy, LentArgument, Loader, StaysHere, copied_by, loader};
    pub use crate::meaning::{
        AnswersLoadFailed, ByClone, ByTurns, Errors, Kept, MayBeNone, Meaning, Never, NotCloned,
        NotRead, NotSent, NotWritten, OfPlain, OfResult, Parts, Plain, Probe, Returns, Share,
        SharesLoadFailed, Stored, Written,
    };
    pub use crate::policy::Policy;
    pub use crate::registry::{Argument, CachedFn, Registered, Role};
    pub use crate::wrapper::{Returned, Wrapper, refused, refused_as};

    /// Traits whose methods choose by type; a function uses one level of each.
    pub mod probes {
        pub use super::{ByClone as _, ByTurns as _, CanDetach as _, CannotCopy as _};
        pub use super::{Kept as _, NotCloned as _, NotRead as _, NotSent as _};
        pub use super::{NotWritten as _, Written as _};
        pub use super::{Plain as _, StaysHere as _};
    }

    /// Tells the compiler the type of a block. Never called.
    pub fn returns<R>() -> R {
        unreachable!("only its type is asked for")
    }
}
