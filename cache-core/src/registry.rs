//! What is known of a cached function before it is called.

use std::fmt;

use once_cell::sync::OnceCell;

use crate::events::Once;
use crate::key::{self, Key, KeyWriter};

/// One function under `#[cached]`: a static in its wrapper.
pub struct CachedFn {
    name: &'static str,
    file: &'static str,
    line: u32,
    arguments: &'static str,
    reason: &'static str,
    named: Option<&'static str>,
    version: u32,
    identity: OnceCell<(&'static str, String)>,
    refreshes_inline: Once,
    pub(crate) stood_in: Once,
}

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
    #[must_use]
    pub fn key(&self, raw: &'static str) -> KeyWriter {
        let (first, identity) = self.identity.get_or_init(|| (raw, self.identity(raw)));
        if *first == raw {
            return Key::for_version(identity, self.version);
        }
        Key::for_version(&self.identity(raw), self.version) // another instance of a generic function
    }

    fn identity(&self, raw: &str) -> String {
        let path = key::identity_of(raw);
        self.named
            .map_or_else(|| path.clone(), |name| name.to_owned() + &key::type_arguments_of(&path))
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
            .field("place", &format_args!("{}:{}", self.file, self.line))
            .field("arguments", &self.arguments)
            .field("reason", &self.reason)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
