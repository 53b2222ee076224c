//! Every shape of function that `#[cached]` takes: each answers as the plain function would, and
//! loads once for each key.
#![deny(warnings)]
#![allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    clippy::allow_attributes,
    clippy::multiple_bound_locations,
    clippy::needless_lifetimes,
    clippy::needless_pub_self,
    clippy::new_without_default,
    clippy::ptr_arg,
    clippy::self_only_used_in_recursion,
    reason = "a test binary with odd shapes on purpose"
)]

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

mod arguments;
mod async_traits;
mod attributes;
mod bodies;
mod generics;
mod inside_impls;
mod instrumented;
#[path = "../support/log.rs"]
mod log;
mod methods;
mod places;
mod policies;
mod results;
mod settings;
mod shapes;
mod strategies;

/// Counts how often a body runs.
pub struct Loads(AtomicUsize);

impl Loads {
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Compares loads with what a working cache leaves.
#[track_caller]
pub fn loads(expected: usize, actual: &Loads) {
    assert_eq!(actual.get(), expected);
}

/// A future that a multi-threaded executor takes.
pub fn send<F: Future + Send>(future: F) -> F {
    future
}

/// Waits for something that another task will make true.
pub async fn eventually(mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it never comes true");
}

/// Compares the answers of two equal calls and one other with what the plain function gives.
#[macro_export]
macro_rules! twice_and_other {
    ($same:expr => $answer:expr, $other:expr => $different:expr) => {
        assert_eq!($same.await, $answer);
        assert_eq!($same.await, $answer);
        assert_eq!($other.await, $different);
    };
}
