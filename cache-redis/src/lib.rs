//! The Redis level of `herdless`: one value is one hash, and every step is one command.
//!
//! ```no_run
//! # async fn boot() -> Result<(), cache_core::Error> {
//! use cache_redis::RedisStore;
//!
//! let store = RedisStore::connect("redis://127.0.0.1:6379")?; // checks the URL, connects behind
//! store.ready().await?; // only where the application is not to start without Redis
//! # Ok(())
//! # }
//! ```
//!
//! # Where Redis may be
//!
//! One server, over TCP, TLS or a socket of this machine; a primary that sentinels watch over; a
//! cluster. See [`Builder`]. Valkey is spoken to in the same way.
//!
//! ```no_run
//! # fn boot() -> Result<(), cache_core::Error> {
//! use cache_redis::RedisStore;
//!
//! let socket = RedisStore::connect("unix:///run/redis/redis.sock?db=1")?;
//! let watched = RedisStore::builder().sentinel("shop", ["redis://sentinel:26379"]).build()?;
//! let cluster = RedisStore::builder().cluster(["redis://app:secret@node-1:6379"]).build()?;
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//!
//! A hit is one `HGET`. Everything that changes something is a script, called by digest; the
//! scripts stand beside this crate's sources as `src/*.lua`. All keys of a value share a tag, and
//! so does its channel: on a cluster they lie together.
//!
//! Commands share one multiplexed connection to each server. While the first connect is under way
//! they wait for it; once a connect has failed or the connection broke they fail at once, and a
//! background task connects again within about a second of Redis being back. A server that neither
//! answers nor closes is given up after three unanswered commands. The same task asks for the
//! server's time once a second (`TIME`), which is how a broken connection without traffic is
//! noticed and how every process of a fleet comes to share one clock. On a cluster that is the
//! middle of the servers' clocks, and ones more than a second apart are logged.
//!
//! Behind sentinels each connect asks all of them and goes to the primary that most name, if it
//! says itself that it is one. A server that was demoted (`READONLY`) is left, and the command is
//! said once more to its successor.
//!
//! On a cluster a command follows `MOVED` and `ASK`, and waits up to a tenth of a second for a slot
//! that is just changing hands. A background task keeps the list of who serves what; while it looks
//! again nobody waits. Slots that move by `MIGRATE` run no scripts for keys of which some have moved
//! and some have not: reads go on, loads of that moment are not stored. A server that is away is
//! noticed for its own slots only, by neighbours of 1024.
//!
//! Removing all values of a function goes through all keys of every primary by `SCAN`, a thousand a
//! step.
//!
//! Waiting calls listen on one more connection to each server, made when the first of them comes, to
//! one channel per key and only while they wait: by `SUBSCRIBE`, on a cluster by `SSUBSCRIBE` where
//! the key is (a cluster older than 7.0 has no such channels, and waiting calls poll).
//!
//! # Rights
//!
//! An ACL user needs `+@read +@write +@scripting +time +publish +subscribe +unsubscribe`, the keys
//! `~{namespace:*` and the channels `&{namespace:*`. Without the channels everything works, but
//! waiting calls poll. Without `+@scripting` the steps are made by plain commands: a lease ends by
//! lapsing, and a change that comes in the middle of a step may be overwritten; that is logged, and
//! scripts are tried again once a minute. Behind sentinels it needs `+role`, too. On a cluster it
//! needs `+cluster|slots +asking`, and `+spublish +ssubscribe +sunsubscribe` in place of the three
//! that publish and listen.
//!
//! # TLS
//!
//! The feature `tls` brings `rediss://` by rustls. It trusts the system's certificates, or those
//! given to the builder's `tls_roots`. Where the program has not chosen a cryptography provider for
//! rustls, the first such store makes it ring.

mod builder;
mod store;
mod scan;
mod unscripted;
mod scripts;
mod scripting;
mod topology;
mod cluster;
mod nodes;
mod connect;
mod kept;
mod wake;
mod ear;
mod board;
mod slots;
mod door;
mod sentinel;
#[cfg(feature = "tls")]
mod tls;
mod addr;
mod reply;
mod wire;
mod backoff;
mod clock;
mod error;

pub use redis;

pub use builder::Builder;
pub use store::RedisStore;
