//! The run time of `herdless`: keys, entries, strategies, flights and leases.
//!
//! The modules stand in the order of one call's path; each imports only from those below it. Use
//! the facade crate `herdless`; what is public here and not re-exported there serves generated
//! code and store crates.

#[cfg(feature = "testing")]
pub mod testing;
mod wrapper;
mod call;
mod handle;
mod run;
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
mod flight;
mod local;
pub mod entry;
pub mod strategy;
mod life;
mod policy;
mod codec;
mod shape;
pub mod store;
mod registry;
mod permits;
mod key;
mod outcome;
mod events;
mod clock;
mod error;

pub use cache::{Cache, CacheBuilder, install, install_named, with_cache};
pub use call::{Call, WithOutcome};
pub use clock::{Clock, Timestamp};
pub use codec::{Codec, LARGEST};
pub use error::{Error, ErrorKind, LoadFailed, Reason};
pub use events::Event;
pub use handle::{Change, Handle, Peek};
pub use key::{Key, KeyWriter, LONGEST_ARGUMENTS};
pub use outcome::{Kind, Miss, Outcome};
pub use policy::{Policy, Strategy};
pub use store::Store;

/// What generated code names. Exempt from semver: both sides are pinned to each other.
#[doc(hidden)]
pub mod private {
    pub use std::time::Duration;

    pub use crate::codec::Codec;
    pub use crate::life::TtlFrom;
    pub use crate::loader::{Background, CanDetach, Loader, loader};
    pub use crate::meaning::{
        AnswersLoadFailed, Errors, MayBeNone, Meaning, Never, OfPlain, OfResult, Probe, Share,
        SharesLoadFailed, Stored,
    };
    pub use crate::policy::Policy;
    pub use crate::registry::CachedFn;
    pub use crate::wrapper::{Wrapper, refused};

    /// Traits whose methods choose by type; a function uses one level of each.
    pub mod probes {
        pub use crate::loader::{CanDetach as _, StaysHere as _};
        pub use crate::meaning::{ByClone as _, ByTurns as _, Meaning as _, Plain as _};
    }

    /// A load that can leave its caller, or the arguments back.
    pub type Detached<R, A> = Result<Background<R>, A>;

    /// Tells the compiler the type of a block. Never called.
    pub fn returns<R>() -> R {
        unreachable!("only its type is asked for")
    }

    /// The compiler's name of a value's type: module, function, implementing type, arguments.
    pub fn name_of<T>(_: &T) -> &'static str {
        std::any::type_name::<T>()
    }
}
