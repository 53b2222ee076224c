//! Who has which identity. Two functions with one identity run uncached, both, and are logged.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use once_cell::sync::Lazy;

use super::{CachedFn, registered};
use crate::key::{self, Family, Name};

/// One identity in this program: a function's, or that of one instance of a generic function.
pub(crate) struct Identity {
    text: String,
    /// As it stands in keys.
    pub(crate) written: String,
    /// Another function has it too: neither may use the cache.
    shared: AtomicBool,
}

/// By the identity and version that stand in keys.
type By<T> = HashMap<(String, u32), T>;

/// Who had an identity first, and by which instance.
#[derive(Clone, Copy)]
struct Owner {
    function: &'static CachedFn,
    instance: TypeId,
    identity: &'static Identity,
}

static OWNERS: Lazy<Mutex<By<Owner>>> = Lazy::new(Mutex::default);

/// What is known already, for the instances of generic functions.
static KNOWN: Lazy<RwLock<HashMap<TypeId, &'static Identity>>> = Lazy::new(RwLock::default);

impl Identity {
    pub(crate) fn is_sound(&self) -> bool {
        !self.shared.load(Ordering::Relaxed)
    }
}

impl CachedFn {
    /// The identity before any type argument is known: `_` stands for those of an `impl`.
    pub(crate) fn base_identity(&self) -> Option<String> {
        self.named.map(str::to_owned).or_else(|| self.base_path())
    }

    fn base_path(&self) -> Option<String> {
        self.place.map(|place| key::identity_of_item(place().text))
    }

    /// All its keys within a namespace, those of all its instances.
    pub(crate) fn family(&self, namespace: &str) -> Family {
        let base = self.base_identity().unwrap_or_else(|| self.name.to_owned());
        Family::new(namespace, &base, self.version, self.named.is_none())
    }

    fn source_place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The identity of an instance. It is another one for each type, where that can be told.
    fn identity_of(&self, name: Name) -> String {
        let path = key::identity_of(name.text);
        let base = self.base_path().unwrap_or_default();
        // The only instance has no homonym. Closures of one place share an identity, uncached.
        let marked = path != base
            && key::may_have_homonyms(name.text)
            && !key::has_nameless_argument(name.text);
        let mark = if marked { key::mark_of(name.id) } else { String::new() };
        match self.named {
            Some(named) => format!("{named}{}{mark}", key::arguments_of(&path, &base)),
            None => path + &mark,
        }
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

/// Those that share their identity with this one.
pub(crate) fn twins_of(function: &'static CachedFn) -> impl Iterator<Item = &'static CachedFn> {
    let is_it = move |twin: &&'static CachedFn| std::ptr::eq(*twin, function);
    let group = twins().iter().find(move |group| group.iter().any(is_it));
    group.into_iter().flatten().copied().filter(move |twin| !is_it(twin))
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

/// Two types of one name: declared in two blocks of one `fn`, or in two versions of a crate.
fn report_homonyms(function: &CachedFn, identity: &str) {
    let (function, place) = (function.name, function.source_place());
    tracing::error!(
        function,
        identity,
        place,
        "two type arguments have one name, so both instances run uncached: rename one of the types, \
         or take it out of the block that declares it"
    );
}

/// The identity of `function`, or of the instance of it that `name` tells.
pub(super) fn identity_of(function: &'static CachedFn, name: Name) -> &'static Identity {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&name.id).copied();
    known.unwrap_or_else(|| {
        let identity = register(function, name);
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(name.id, identity);
        identity
    })
}

pub(super) fn register(function: &'static CachedFn, name: Name) -> &'static Identity {
    let nameless = key::has_nameless_argument(name.text);
    let (owner, is_new) = owner(function.identity_of(name), nameless, function, name.id);
    let identity = owner.identity;
    // From here on without the lock: who listens to the log may call a cached function.
    if nameless && is_new {
        report_nameless(function);
    }
    // What no list could tell: instances of generic functions, programs without one.
    let is_other = !std::ptr::eq(owner.function, function);
    let is_homonym = !nameless && owner.instance != name.id;
    if (is_other || is_homonym) && !identity.shared.swap(true, Ordering::Relaxed) {
        if is_other {
            report(&identity.text, &[owner.function, function]);
        } else {
            report_homonyms(function, &identity.text);
        }
    }
    identity
}

/// Who has the identity, and whether that is new.
fn owner(
    text: String,
    nameless: bool,
    function: &'static CachedFn,
    instance: TypeId,
) -> (Owner, bool) {
    let has_twin = twins_of(function).next().is_some();
    let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = owners.len();
    let owner = *owners.entry((text, function.version)).or_insert_with_key(|(text, _)| {
        let identity = Identity {
            text: text.clone(),
            written: key::bounded(text).into_owned(),
            shared: AtomicBool::new(has_twin || nameless),
        };
        let identity = Box::leak(Box::new(identity)); // as many as the program has functions
        Owner { function, instance, identity }
    });
    (owner, owners.len() > known)
}
