//! What callers ask: something with a cache in it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::gauge::Fared;

pub(crate) type Asked<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) trait Source: Send + Sync + 'static {
    fn ask(&self, key: u32) -> Asked<Fared>;

    /// Stores a value as if it had been loaded that long ago.
    fn plant(&self, key: u32, age: Duration) -> Asked<()>;

    /// Removes the value of this key.
    fn remove(&self, key: u32) -> Asked<()>;
}
