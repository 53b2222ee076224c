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
//! # How it works
//!
//! A hit is one `HGET`. Everything that changes something is a script, called by digest; the
//! scripts stand beside this crate's sources as `src/*.lua`.
//!
//! Commands share one multiplexed connection. While the first connect is under way they wait for
//! it; once a connect has failed or the connection broke they fail at once, and a background task
//! connects again within about a second of Redis being back. A server that neither answers nor
//! closes is given up after three unanswered commands. The same task asks for the server's time
//! once a second (`TIME`), which is how a broken connection without traffic is noticed and how
//! every process of a fleet comes to share one clock.
//!
//! Waiting calls listen on one more connection, made when the first of them comes, to one channel
//! per key and only while they wait.
//!
//! # Rights
//!
//! An ACL user needs `+@read +@write +@scripting +time +publish +subscribe +unsubscribe`, the keys
//! `~{namespace:*` and the channels `&{namespace:*`. Without the channels everything works, but
//! waiting calls poll.
//!
//! # TLS
//!
//! Enable a TLS feature of the re-exported [`redis`] crate, such as `tokio-rustls-comp`, in your own
//! manifest and connect to `rediss://`.

mod store;
mod reply;
mod scripts;
mod connect;
mod wake;
mod wire;
mod board;
mod backoff;
mod clock;
mod error;

pub use redis;

pub use store::RedisStore;
