//! Caches expensive async functions and never lets a herd through.
//!
//! A hot key expires, a hundred requests miss together, each runs the same 450 ms query. One
//! attribute is the cure:
//!
//! ```
//! use herdless::cached;
//!
//! # #[derive(Clone, Debug)] struct AppError;
//! #[cached(ttl = 300, strategy = "xfetch", beta = 1.0, jitter = 300)]
//! async fn quality_count(min_score: u32) -> Result<i64, AppError> {
//!     Ok(i64::from(min_score) * 2) // 450 ms of SQL
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let n = quality_count(80).await.unwrap();         // read through
//! assert_eq!(quality_count(80).peek().await?, Some(n));
//! quality_count(80).invalidate().await?;            // the call is the handle of its key
//! assert_eq!(quality_count(80).peek().await?, None);
//! # Ok(())
//! # }
//! ```
//!
//! Every argument of the attribute is explained, with an example, on the page of
//! [`cached`](macro@cached).
//!
//! # How it works
//!
//! A call looks its key up and asks the strategy. When a load is due, one caller of the process
//! takes the key's *seat* and asks the store for the key's *lease*; everybody else, in every
//! process, waits for what it brings, wakes by message, and goes on by itself should the holder
//! die, stall or fall silent. A value is stored only if nothing invalidated the key since its load
//! began and nothing that began later is there.
//!
//! # Where values live
//!
//! With nothing configured: in this process, 10 000 of them. For a fleet, [`install`] a cache with
//! a store at start:
//!
//! ```no_run
//! # #[cfg(feature = "redis")]
//! # fn main() -> Result<(), herdless::Error> {
//! use herdless::{Cache, RedisStore};
//!
//! let store = RedisStore::connect("redis://127.0.0.1:6379")?;
//! herdless::install(Cache::builder().store(store).namespace("shop").build())
//! # }
//! # #[cfg(not(feature = "redis"))]
//! # fn main() {}
//! ```
//!
//! # When something fails
//!
//! A cached function never fails because of its cache. The page [`failure`] says for each fault what
//! callers see, what is counted, and what was measured.
//!
//! # Features
//!
//! `bincode` and `json` (codecs), `redis` (the shared level) are on by default. `postcard` and
//! `messagepack` are further codecs, `zstd` compresses large values, `tls` lets Redis be reached at
//! `rediss://`; `testing` adds what tests of cached code need.
//!
//! Supported Rust: 1.88 and later.

pub use cache_core::{
    Audit, Audited, Cache, CacheBuilder, CachedFn, Call, Change, Check, Clock, Codec, Error,
    ErrorKind, Event, Finding, Handle, Key, KeyArgument, KeyWriter, Kind, LARGEST,
    LONGEST_ARGUMENTS, LoadFailed, Miss, Outcome, Parameter, Peek, Policy, Reason, Setting,
    Shutdown, Store, Timestamp, WithOutcome, audit, install, install_named, with_cache,
};
#[doc = include_str!("../docs/cached.md")]
pub use cache_macros::cached;
#[cfg(feature = "redis")]
pub use cache_redis::{Builder as RedisBuilder, RedisStore};

// For stores other than Redis: the contract, and what an entry says about itself.
#[cfg(feature = "testing")]
pub use cache_core::testing;
pub use cache_core::{entry, store};

#[doc = include_str!("../docs/failure.md")]
pub mod failure {}

#[doc(hidden)]
pub mod __private;
