//! Which shape a value type has, so that one deploy never reads what another wrote differently.

use std::any::type_name;

use crate::store::Shape;

/// The shape of `T` under a function's `version`: from the type's name, until the walk over its
/// `Deserialize` replaces it here. A changed struct needs a new `version` until then.
#[must_use]
pub(crate) fn of<T>(version: u32) -> Shape {
    let mut hasher = blake3::Hasher::new();
    hasher.update(type_name::<T>().as_bytes());
    hasher.update(&version.to_le_bytes());
    let mut id = [0; 8];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    Shape(u64::from_le_bytes(id))
}
