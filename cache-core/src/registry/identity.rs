//! Who has which identity. Two functions with one identity run uncached, both, and are logged.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use once_cell::sync::Lazy;

use super::{CachedFn, registered};
use crate::key;

/// One identity in this program: a function's, or that of one instance of a generic function.
pub(crate) struct Identity {
    pub(crate) text: String,
    /// Another function has it too: neither may use the cache.
    shared: AtomicBool,
}

/// By the identity and version that stand in keys.
type By<T> = HashMap<(String, u32), T>;

type Owner = (&'static CachedFn, &'static Identity);

static OWNERS: Lazy<Mutex<By<Owner>>> = Lazy::new(Mutex::default);

impl Identity {
    pub(crate) fn is_sound(&self) -> bool {
        !self.shared.load(Ordering::Relaxed)
    }
}

impl CachedFn {
    /// The identity before any type argument is known: `_` stands for those of an `impl`.
    pub(crate) fn base_identity(&self) -> Option<String> {
        let named = self.named.map(str::to_owned);
        named.or_else(|| self.place.map(|place| key::identity_of_item(place())))
    }

    fn source_place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// The functions of this program that share an identity, group by group.
pub(crate) fn twins() -> &'static [Vec<&'static CachedFn>] {
    static TWINS: Lazy<Vec<Vec<&'static CachedFn>>> = Lazy::new(|| {
        let mut by_identity: By<Vec<&'static CachedFn>> = By::new();
        for function in registered() {
            if let Some(identity) = function.base_identity() {
                by_identity.entry((identity, function.version)).or_default().push(function);
            }
        }
        by_identity.retain(|_, group| group.len() > 1);
        by_identity.iter().for_each(|((identity, _), group)| report(identity, group));
        by_identity.into_values().collect()
    });
    &TWINS
}

fn report(identity: &str, group: &[&CachedFn]) {
    let places: Vec<_> = group.iter().map(|function| function.source_place()).collect();
    let places = places.join(", ");
    tracing::error!(
        identity,
        places,
        "cached functions with one identity: all of them run uncached; give them a `name` each"
    );
}

/// Every closure of one place has the same name: two of them would read each other's values.
fn report_nameless(function: &CachedFn) {
    let (function, place) = (function.name, function.source_place());
    tracing::error!(
        function,
        place,
        "a closure as type argument has no name of its own, so this instance runs uncached: take a \
         function pointer or a type with a name"
    );
}

/// The identity of `function`, or of one instance of it, which `raw` names.
pub(super) fn register(function: &'static CachedFn, raw: &str) -> &'static Identity {
    let path = key::identity_of(raw);
    let named = |name: &str| name.to_owned() + &key::type_arguments_of(&path);
    let text = function.named.map_or_else(|| path.clone(), named);
    let has_twin = twins().iter().flatten().any(|twin| std::ptr::eq(*twin, function));
    let nameless = key::has_nameless_argument(raw);
    let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = owners.len();
    let (owner, identity) =
        *owners.entry((text, function.version)).or_insert_with_key(|(text, _)| {
            let identity =
                Identity { text: text.clone(), shared: AtomicBool::new(has_twin || nameless) };
            (function, Box::leak(Box::new(identity))) // as many as the program has functions
        });
    let is_new = owners.len() > known;
    drop(owners); // who listens to the log may call a cached function
    if nameless && is_new {
        report_nameless(function);
    }
    // What no list could tell: instances of generic functions, programs without one.
    if !std::ptr::eq(owner, function) && !identity.shared.swap(true, Ordering::Relaxed) {
        report(&identity.text, &[owner, function]);
    }
    identity
}
