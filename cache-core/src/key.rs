//! Keys: readable, one-to-one, bounded, one cluster slot.
//!
//! A key reads `catalog::quality_count:v1(80,"EU")`: identity, version, arguments. Different
//! arguments never share a key, and `{`, `}`, `%` are always written as `%7B`, `%7D`, `%25`, so
//! that nothing in an argument can end the cluster hash tag that [`Key::tag`] puts around it.

mod write;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// The argument part of a key is a digest beyond this many bytes.
pub const LONGEST_ARGUMENTS: usize = 512;

/// The key of one value: identity of the function, version, arguments. Without namespace; see
/// [`Cache::redis_key`](crate::Cache::redis_key) for the whole key of a store.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    text: Arc<str>,
    sound: bool,
}

impl Key {
    /// Starts the key of a function as another binary names it: with the `name` given there.
    ///
    /// ```
    /// let key = cache_core::Key::for_function("shop::rows").arg(&7).finish();
    /// assert_eq!(key.as_str(), "shop::rows:v1(7)");
    /// ```
    #[must_use]
    pub fn for_function(identity: &str) -> KeyWriter {
        Self::for_version(identity, 1)
    }

    /// [`for_function`](Self::for_function) for a function that states another `version`.
    #[must_use]
    pub fn for_version(identity: &str, version: u32) -> KeyWriter {
        let mut text = String::with_capacity(96);
        write::escape(&mut text, identity);
        text.push_str(":v");
        text.push_str(&version.to_string());
        text.push('(');
        KeyWriter { arguments: text.len(), text, after_argument: false, sound: true }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether every argument could be written. A call whose key is not sound runs uncached.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.sound
    }

    /// The same key for a call that must run uncached.
    pub(crate) fn unsound(self) -> Self {
        Self { sound: false, ..self }
    }

    pub(crate) fn shared(&self) -> &Arc<str> {
        &self.text
    }

    /// The key within a namespace, as the hash tag of a cluster slot: `{shop:identity:v1(80)}`.
    pub(crate) fn tag(&self, namespace: &str) -> String {
        let mut tag = String::with_capacity(self.text.len() + namespace.len() + 3);
        tag.push('{');
        if !namespace.is_empty() {
            write::escape(&mut tag, namespace);
            let name = tag.split_off(1);
            tag.push_str(&name.replace(':', "%3A")); // else `a:b` + `c` would be `a` + `b:c`
            tag.push(':');
        }
        tag.push_str(&self.text);
        tag.push('}');
        tag
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// Writes the arguments of a key, one after another.
#[derive(Debug)]
pub struct KeyWriter {
    text: String,
    arguments: usize,
    after_argument: bool,
    sound: bool,
}

impl KeyWriter {
    /// Marks the key unsound where `sound` is false.
    pub(crate) fn sound(mut self, sound: bool) -> Self {
        self.sound &= sound;
        self
    }

    /// One argument, in a form that no other value of its type has.
    ///
    /// A value whose `Serialize` fails makes the key [unsound](Key::is_sound).
    #[must_use]
    pub fn arg<T: Serialize + ?Sized>(mut self, argument: &T) -> Self {
        if self.after_argument {
            self.text.push(',');
        }
        self.sound &= write::argument(&mut self.text, argument).is_ok();
        self.after_argument = true;
        self
    }

    /// Fixed text of a key template. Where it could be read as part of the argument before it, a
    /// comma goes between.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        if self.after_argument && text.starts_with(write::continues_a_token) {
            self.text.push(',');
        }
        write::escape(&mut self.text, text);
        self.after_argument &= text.is_empty();
        self
    }

    /// The finished key.
    #[must_use]
    pub fn finish(mut self) -> Key {
        self.text.push(')');
        if self.text.len() - self.arguments > LONGEST_ARGUMENTS {
            let digest = blake3::hash(&self.text.as_bytes()[self.arguments..]);
            self.text.truncate(self.arguments - 1);
            self.text.push('#');
            self.text.push_str(&digest.to_hex());
        }
        Key { text: self.text.into(), sound: self.sound }
    }
}

/// The identity behind the compiler's name of a closure in the wrapper: without the closure, the
/// helper functions around it, raw-identifier marks and lifetimes.
pub(crate) fn identity_of(raw: &str) -> String {
    let mut identity = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("::{{closure}}") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("r#") {
            rest = after;
        } else if c == '\'' {
            let name = |c: char| c.is_alphanumeric() || c == '_';
            rest = rest[1..].trim_start_matches(name);
            rest = rest.strip_prefix(", ").or(rest.strip_prefix(' ')).unwrap_or(rest);
        } else {
            identity.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    identity.replace("<>", "")
}

/// The identity behind the compiler's name of the item `here` in the wrapper's static.
pub(crate) fn identity_of_item(raw: &str) -> String {
    identity_of(raw.strip_suffix("::__CACHED::here").unwrap_or(raw))
}

/// The generic arguments in the compiler's name: `<shop::Bank<u16> as shop::Rates>::quote` has
/// `<u16>`. They stay part of an identity whose path is replaced by a `name`.
pub(crate) fn type_arguments_of(identity: &str) -> String {
    let mut found = String::new();
    let mut depth = 0_usize; // nesting inside a generic argument list
    let mut before = ' ';
    let mut opened = Vec::new(); // for each open '<': does it open an argument list?
    for c in identity.chars() {
        let closes = c == '>' && before != '-';
        if c == '<' {
            let list = before.is_alphanumeric() || before == '_' || before == ':';
            opened.push(list);
            depth += usize::from(list || depth > 0);
        }
        if depth > 0 {
            found.push(c);
        }
        if closes {
            let list = opened.pop().unwrap_or(false);
            depth -= usize::from(depth > 0 && (list || depth > 1));
        }
        before = c;
    }
    found
}

#[cfg(test)]
mod tests;
