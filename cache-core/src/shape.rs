//! Which shape a value type has, so that one deploy never reads what another wrote differently.
//!
//! The shape is found by walking the type's `Deserialize`: names, order and types of fields,
//! variants, everything below them. It does not contain module paths or compiler details, so it is
//! the same in every build.
//!
//! Where a hand-written `Deserialize` cannot be seen through, the place is *opaque* and contributes
//! the name of the user's type there. A self-describing codec needs no more: another layout does
//! not decode. A positional codec might decode it, so under one the release of the crate counts
//! too, and a release starts cold rather than wrong. The function's `version` is the override by
//! hand.

mod access;
mod place;
mod walk;
mod leaf;
mod print;
mod names;
mod graph;

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};

use serde::de::DeserializeOwned;

use crate::store::Shape;

pub(crate) use names::Names;

/// What the walk over a type found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// The type's own fingerprint.
    pub(crate) id: u64,
    /// What could not be seen through.
    pub(crate) opaque: Vec<Opaque>,
    /// It takes whatever it is given, so only a self-describing codec can carry it.
    pub(crate) asks_any: bool,
    /// What it reads, for a comparison with what it writes.
    pub(crate) names: Names,
}

/// A place that the walk could not see through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opaque {
    /// Fields and variants on the way there; empty for the type itself.
    pub(crate) path: String,
    /// The user's type at or around it.
    pub(crate) ty: &'static str,
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "opaque: {}", self.ty),
            path => write!(f, "opaque at {path}: {}", self.ty),
        }
    }
}

impl Report {
    /// The shape under a function's `version`. `release` names the crate and its version; it
    /// counts where the walk did not see everything and the codec would not notice.
    pub(crate) fn shape(&self, version: u32, release: Option<&str>) -> Shape {
        let id = mixed(self.id, u64::from(version));
        match release {
            Some(release) if !self.opaque.is_empty() && !self.asks_any => {
                Shape(mixed(id, digest(|hasher| print::text(hasher, release))))
            }
            _ => Shape(id),
        }
    }
}

/// The report on `T`, found once per type.
pub(crate) fn of<T: DeserializeOwned + 'static>() -> &'static Report {
    static KNOWN: RwLock<Option<HashMap<TypeId, &'static Report>>> = RwLock::new(None);
    let id = TypeId::of::<T>();
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(report) = known.as_ref().and_then(|known| known.get(&id)) {
        return report;
    }
    drop(known);
    // Not under the lock: the walk runs the user's code. Two walks of one type agree.
    let report = Box::new(seen::<T>());
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().entry(id).or_insert_with(|| Box::leak(report))
}

fn seen<T: DeserializeOwned + 'static>() -> Report {
    let graph = catch_unwind(AssertUnwindSafe(walk::walk::<T>));
    graph.map_or_else(|_| print::unseen(type_name::<T>()), |graph| print::report(&graph))
}

fn digest(write: impl FnOnce(&mut blake3::Hasher)) -> u64 {
    let mut hasher = blake3::Hasher::new();
    write(&mut hasher);
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(short)
}

/// One number of two, each bit depending on all. (The finish of splitmix64.)
fn mixed(one: u64, other: u64) -> u64 {
    let mut sum = one.rotate_left(32) ^ other.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    sum = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    sum = (sum ^ (sum >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    sum ^ (sum >> 31)
}

#[cfg(test)]
mod tests;
