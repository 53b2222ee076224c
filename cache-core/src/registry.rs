//! What is known of a cached function before it is called, and that no two share an identity.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use once_cell::sync::OnceCell;

use crate::events::{Once, Seldom};
use crate::key::{self, Key, KeyWriter};
use crate::permits::Permits;

/// One function under `#[cached]`: a static in its wrapper.
pub struct CachedFn {
    name: &'static str,
    file: &'static str,
    line: u32,
    arguments: &'static str,
    reason: &'static str,
    named: Option<&'static str>,
    version: u32,
    identity: OnceCell<(&'static str, &'static Identity)>,
    refreshes_inline: Once,
    pub(crate) stood_in: Once,
    pub(crate) unstorable: Once,
    pub(crate) last_resorts: Seldom,
    pub(crate) permits: Permits,
}

/// One identity in this program: a function's, or that of one instance of a generic function.
struct Identity {
    text: String,
    /// Another function has it too: neither may use the cache.
    shared: AtomicBool,
}

/// Who has which identity, by the identity and version that stand in keys.
type Owners = HashMap<(String, u32), (&'static CachedFn, &'static Identity)>;

static IDENTITIES: Mutex<Option<Owners>> = Mutex::new(None);

impl CachedFn {
    /// A function by its name and place in the source.
    #[must_use]
    pub const fn new(name: &'static str, file: &'static str, line: u32) -> Self {
        Self {
            name,
            file,
            line,
            arguments: "",
            reason: "",
            named: None,
            version: 1,
            identity: OnceCell::new(),
            refreshes_inline: Once::new(),
            stood_in: Once::new(),
            unstorable: Once::new(),
            last_resorts: Seldom::new(),
            permits: Permits::new(),
        }
    }

    /// The key template, or the arguments the key is made of.
    #[must_use]
    pub const fn arguments(mut self, arguments: &'static str) -> Self {
        self.arguments = arguments;
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

    /// The function's own name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) const fn value_version(&self) -> u32 {
        self.version
    }

    /// Starts a key. `raw` is the compiler's name of a closure in the wrapper: it tells module,
    /// function, implementing type and type arguments.
    ///
    /// Two functions with one identity would read each other's values: from the moment the second
    /// is called, both places are logged and the keys of both are [unsound](Key::is_sound).
    #[must_use]
    pub fn key(&'static self, raw: &'static str) -> KeyWriter {
        let (first, identity) = *self.identity.get_or_init(|| (raw, self.register(raw)));
        // Another `raw` is another instance of a generic function.
        let identity = if first == raw { identity } else { self.register(raw) };
        let sound = !identity.shared.load(Ordering::Relaxed);
        Key::for_version(&identity.text, self.version).sound(sound)
    }

    fn register(&'static self, raw: &str) -> &'static Identity {
        let path = key::identity_of(raw);
        let named = |name: &str| name.to_owned() + &key::type_arguments_of(&path);
        let text = self.named.map_or_else(|| path.clone(), named);
        let mut identities = IDENTITIES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = identities.get_or_insert_default();
        let (owner, identity) =
            *known.entry((text, self.version)).or_insert_with_key(|(text, _)| {
                let identity = Identity { text: text.clone(), shared: AtomicBool::new(false) };
                (self, Box::leak(Box::new(identity))) // as many as the program has functions
            });
        if !std::ptr::eq(owner, self) && !identity.shared.swap(true, Ordering::Relaxed) {
            let (identity, one, other) = (&identity.text, owner.place(), self.place());
            tracing::error!(
                identity,
                one,
                other,
                "two cached functions have one identity: both run uncached; give one a `name`"
            );
        }
        identity
    }

    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
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
            .field("place", &self.place())
            .field("arguments", &self.arguments)
            .field("reason", &self.reason)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
