//! The run time of `herdless`.
pub mod store;
pub mod clock;
pub mod error;

pub use clock::{Clock, Timestamp};
pub use error::{Error, ErrorKind, LoadFailed};
