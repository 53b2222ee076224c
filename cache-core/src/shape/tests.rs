//! What the walk sees, what it cannot, and which changes it notices.

mod changes;
mod fixed;
mod opaque;
mod seen;

use super::*;

/// The walk itself, without the memory of types seen before.
fn report<T: DeserializeOwned + 'static>() -> Report {
    seen::<T>()
}

fn id<T: DeserializeOwned + 'static>() -> u64 {
    report::<T>().id
}
