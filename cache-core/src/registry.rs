//! What is known of a cached function before it is called, and that no two share an identity.

mod argument;
mod identity;
mod package;

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use crate::events::{Once, Seldom};
use crate::key::{Key, KeyWriter, Name};
use crate::permits::Permits;
use crate::policy::Policy;

pub use argument::{Argument, Role};
pub(crate) use identity::{Identity, twins_of};
use package::Package;

/// One function under `#[cached]`. [`Handle::function`](crate::Handle::function) of any of its calls
/// is it, and [`Audited::function`](crate::Audited::function).
pub struct CachedFn {
    name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    place: Option<fn() -> Name>,
    package: Option<Package>,
    pub(crate) template: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) nameless: &'static [&'static str],
    pub(crate) reason: &'static str,
    named: Option<&'static str>,
    pub(crate) version: u32,
    pub(crate) release: Option<&'static str>,
    pub(crate) policy: fn() -> Policy,
    pub(crate) literals: Option<fn() -> Policy>,
    pub(crate) expressions: &'static [(&'static str, &'static str)],
    pub(crate) policy_in_place: bool,
    pub(crate) cache: &'static str,
    pub(crate) in_process: bool,
    detached: Option<fn() -> bool>,
    identity: OnceCell<(TypeId, &'static Identity)>,
    refreshes_inline: Once,
    pub(crate) stood_in: Once,
    pub(crate) unstorable: Once,
    pub(crate) last_resorts: Seldom,
    pub(crate) over_the_cap: Seldom,
    pub(crate) cycles: Seldom,
    permits: OnceCell<Arc<Permits>>,
}

/// A [`CachedFn`] on the list of all that are linked into the program.
#[derive(Debug)]
pub struct Registered(pub &'static CachedFn);

inventory::collect!(Registered);

/// All functions that the linker has put into this program, in no particular order.
pub(crate) fn registered() -> impl Iterator<Item = &'static CachedFn> {
    inventory::iter::<Registered>.into_iter().map(|registered| registered.0)
}

#[doc(hidden)] // what generated code says of a function
impl CachedFn {
    /// A function by its name and place in the source.
    #[must_use]
    pub const fn new(name: &'static str, file: &'static str, line: u32) -> Self {
        Self {
            name,
            file,
            line,
            package: None,
            place: None,
            template: "",
            arguments: &[],
            nameless: &[],
            reason: "",
            named: None,
            version: 1,
            release: None,
            policy: || Policy::ttl(std::time::Duration::ZERO),
            literals: None,
            expressions: &[],
            policy_in_place: false,
            cache: "",
            in_process: false,
            detached: None,
            identity: OnceCell::new(),
            refreshes_inline: Once::new(),
            stood_in: Once::new(),
            unstorable: Once::new(),
            last_resorts: Seldom::new(),
            over_the_cap: Seldom::new(),
            cycles: Seldom::new(),
            permits: OnceCell::new(),
        }
    }

    /// The package whose source the function is in: its name and directory, as cargo tells them.
    #[must_use]
    pub const fn package(
        mut self,
        name: Option<&'static str>,
        directory: Option<&'static str>,
    ) -> Self {
        if let (Some(name), Some(directory)) = (name, directory) {
            self.package = Package::around(self.file, name, directory);
        }
        self
    }

    /// The compiler's name of an item in the function.
    #[must_use]
    pub const fn place(mut self, place: fn() -> Name) -> Self {
        self.place = Some(place);
        self
    }

    /// The key template, or the arguments the key is made of; and all arguments.
    #[must_use]
    pub const fn keyed(mut self, template: &'static str, arguments: &'static [Argument]) -> Self {
        self.template = template;
        self.arguments = arguments;
        self
    }

    /// Type parameters that are closures and the like in most calls, as they are bounded.
    #[must_use]
    pub const fn nameless(mut self, parameters: &'static [&'static str]) -> Self {
        self.nameless = parameters;
        self
    }

    /// Why this staleness, or this lack of a lock, is right.
    #[must_use]
    pub const fn reason(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    /// A stable identity in place of the compiler's path.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.named = Some(name);
        self
    }

    /// Another number abandons what was stored under the old one.
    #[must_use]
    pub const fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// The version of the crate: a new one abandons values of types that could not be seen through
    /// and stand in bytes that do not describe themselves.
    #[must_use]
    pub const fn release(mut self, release: Option<&'static str>) -> Self {
        self.release = release;
        self
    }

    /// Times and strategy, evaluated at each look-up and store.
    #[must_use]
    pub const fn policy(mut self, policy: fn() -> Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Settings given by expressions, and their text.
    #[must_use]
    pub const fn expressions(mut self, texts: &'static [(&'static str, &'static str)]) -> Self {
        self.expressions = texts;
        self
    }

    /// The policy with zeros for its expressions: what is known of it where one of them panics.
    #[must_use]
    pub const fn literals(mut self, policy: fn() -> Policy) -> Self {
        self.literals = Some(policy);
        self
    }

    /// Expressions that only the function itself can evaluate: [`policy`](Self::policy) has no
    /// values for them.
    #[must_use]
    pub const fn policy_in_place(mut self) -> Self {
        self.policy_in_place = true;
        self
    }

    /// Which cache, as written.
    #[must_use]
    pub const fn cache(mut self, cache: &'static str) -> Self {
        self.cache = cache;
        self
    }

    /// Values never leave the process.
    #[must_use]
    pub const fn in_process(mut self) -> Self {
        self.in_process = true;
        self
    }

    /// Whether a load can outlive its caller.
    #[must_use]
    pub const fn detached(mut self, detached: fn() -> bool) -> Self {
        self.detached = Some(detached);
        self
    }

    /// The function's own name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a load can outlive its caller.
    pub(crate) fn detaches(&self) -> bool {
        self.detached.is_some_and(|detached| detached())
    }

    /// Starts a key. `name` is that of a closure in the wrapper: it tells module, function,
    /// implementing type and type arguments.
    ///
    /// Two functions with one identity would read each other's values: both places are logged at
    /// the first call of either, and the keys of both are [unsound](Key::is_sound).
    #[must_use]
    pub fn key(&'static self, name: Name) -> KeyWriter {
        let register = || (name.id, identity::register(self, name));
        let (first, identity) = *self.identity.get_or_init(register);
        // Another id is another instance of a generic function.
        let identity = if first == name.id { identity } else { identity::identity_of(self, name) };
        Key::bounded(&identity.written, self.version).sound(identity.is_sound())
    }

    /// A key that is not used: the function returns a `Result` that its definition did not show.
    pub(crate) fn refuse(&self, key: Key) -> Key {
        if self.unstorable.first() {
            let (function, file, line) = (self.name, self.file, self.line);
            tracing::error!(
                function,
                file,
                line,
                "a type parameter turned out to be a `Result`, so this runs uncached: return \
                 `Result<T, E>` by name"
            );
        }
        key.unsound()
    }

    /// How many loads may run at once: the first number above zero counts for as long as the
    /// process runs. `None`: any number.
    pub(crate) fn permits(&self, cap: usize) -> Option<Arc<Permits>> {
        let permits = || Arc::new(Permits::new(cap));
        (cap > 0).then(|| Arc::clone(self.permits.get_or_init(permits)))
    }

    /// From now on refreshes run in the caller that finds them due. Says yes once.
    pub(crate) fn refresh_inline(&self) -> bool {
        self.refreshes_inline.first()
    }

    pub(crate) fn refreshes_inline(&self) -> bool {
        self.refreshes_inline.happened()
    }
}

impl fmt::Debug for CachedFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedFn")
            .field("name", &self.name)
            .field("source", &format_args!("{}:{}", self.file, self.line))
            .field("template", &self.template)
            .field("reason", &self.reason)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
