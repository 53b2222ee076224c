//! Keys: readable, one-to-one, bounded, one cluster slot.
//!
//! A key reads `catalog::quality_count:v1(80,"EU")`: identity, version, arguments. Different
//! arguments never share a key, and `{`, `}`, `%` are always written as `%7B`, `%7D`, `%25`, so
//! that nothing in an argument can end the cluster hash tag that [`Key::tag`] puts around it.
//!
//! The parts of a key of a store, `{shop:catalog::quality_count:v1(80,"EU")}`, are told apart by
//! colons that stand alone. A namespace has no colon, an identity has them in pairs only, and the
//! version before the arguments is digits up to `(`, or `#` where a digest stands for them. What
//! follows may be any text: the template is one for each identity and version, and its literal text
//! does not vary. A key without namespace cannot be taken for one with: no identity begins like a
//! version, `v1(`.

mod family;
mod identity;
mod secret;
mod write;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

pub(crate) use family::Family;
pub use identity::{Name, name_of};
pub(crate) use identity::{
    arguments_of, bounded, has_nameless_argument, identity_of, identity_of_item, mark_of,
    may_have_homonyms,
};
pub(crate) use secret::KeySecret;
use write::{DIGEST, Text};

/// The argument part of a key is a digest beyond this many bytes.
pub const LONGEST_ARGUMENTS: usize = 512;

/// The key of one value: identity of the function, version, arguments. Without namespace; see
/// [`Cache::redis_key`](crate::Cache::redis_key) for the whole key of a store.
///
/// Two keys are equal where they lead to the same value in every cache: their text is the same, its
/// [digests of secrets](KeyWriter::digest) stand in the same places, and both are sound or neither
/// is. The order is that of the text; it has no other meaning.
///
/// `Display` and `Debug` show arguments as they stand in the key, and of a secret its digest without
/// the cache's [`key_secret`](crate::CacheBuilder::key_secret): enough to compare, but a secret that
/// can be guessed can be found that way. A log should show
/// [`redis_key`](crate::Cache::redis_key); those of this crate do.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    text: Arc<str>,
    sound: bool,
    /// Where in the text digests of secrets begin, in rising order. None for most keys.
    secrets: Option<Arc<[usize]>>,
}

impl Key {
    /// The longest key in bytes, without namespace: 512 of the function's identity and 65 of the
    /// digest that stands for the rest of it, 13 of the version, 512 of the arguments. A longer
    /// argument part is a digest of 65 bytes.
    ///
    /// A store's key has a namespace and three more bytes; `{`, `}`, `%` and `:` in a namespace
    /// count three each.
    pub const LONGEST: usize =
        identity::LONGEST + 1 + DIGEST + ":v4294967295(".len() + LONGEST_ARGUMENTS;

    /// Starts the key of a function as another binary names it: with the `name` given there, and the
    /// types that follow it in the keys of a generic function or of a trait's method.
    ///
    /// Colons are written `%3A`, but for those of a path, `::`.
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
        Self::bounded(&bounded(identity), version)
    }

    /// [`for_version`](Self::for_version) for an identity that is [`bounded`] already.
    pub(crate) fn bounded(identity: &str, version: u32) -> KeyWriter {
        let mut head = String::with_capacity(identity.len() + 96);
        head.push_str(identity);
        head.push_str(":v");
        head.push_str(&version.to_string());
        head.push('(');
        KeyWriter {
            text: Text::limited(head, LONGEST_ARGUMENTS),
            secrets: Vec::new(),
            after_argument: false,
            sound: true,
        }
    }

    /// The key as text, as `Display` shows it.
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
    /// Digests of secrets are keyed by `secret`.
    pub(crate) fn tag(&self, namespace: &str, secret: Option<&KeySecret>) -> String {
        let mut tag = String::with_capacity(self.text.len() + namespace.len() + 3);
        open_tag(&mut tag, namespace);
        let mut written = 0;
        if let (Some(secret), Some(places)) = (secret, &self.secrets) {
            for &place in &**places {
                tag.push_str(&self.text[written..place]);
                written = place + DIGEST;
                tag.push_str(&secret.seal(&self.text[place..written]).to_hex());
            }
        }
        tag.push_str(&self.text[written..]);
        tag.push('}');
        tag
    }
}

/// What every key within a namespace begins with.
fn open_tag(tag: &mut String, namespace: &str) {
    tag.push('{');
    if !namespace.is_empty() {
        // Else `a:b` and `c` would be `a` and `b:c`.
        tag.push_str(&write::escaped(namespace).replace(':', "%3A"));
        tag.push(':');
    }
}

impl AsRef<Self> for Key {
    fn as_ref(&self) -> &Self {
        self
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

/// What can stand in a key: everything that is [`Serialize`]. A trait of its own, so that the
/// compiler says in words what an argument lacks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a key: it is not `Serialize`",
    label = "an argument in the key must be `Serialize`",
    note = "derive `serde::Serialize` for it, or give it a name and leave it out with `skip(..)`",
    note = "`Arc` and `Rc` need the feature `rc` of serde, types of another crate its feature for serde"
)]
pub trait KeyArgument: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + ?Sized> KeyArgument for T {}

/// Writes the arguments of a key, one after another.
///
/// An argument needs little memory while it is written, whatever its size: less than 1 MiB, and some
/// 6 KiB for each level of maps within maps beyond the tenth. Over [`LONGEST_ARGUMENTS`] its text goes
/// to a digest piece by piece. Entries of a map, a hash set or a heap are sorted up to 128 KiB of
/// text, each counted with 24 bytes more, half as much within another one, and so on down to 8 KiB;
/// a larger one stands as the digest of a sum that does not depend on the order, which takes about
/// one microsecond for each entry.
///
/// Hash sets of std and of hashbrown, `BinaryHeap` and iterators of these are sorted at every depth.
/// Another collection without an order should be written as a map, or sorted; so should a hash set
/// in a variant of an enum under `#[serde(flatten)]` or inside an internally tagged enum, where
/// serde itself copies it first. A key that depends on the order of iteration is a miss, never
/// another value.
#[derive(Debug)]
pub struct KeyWriter {
    text: Text,
    secrets: Vec<usize>,
    after_argument: bool,
    sound: bool,
}

impl KeyWriter {
    /// Marks the key unsound where `sound` is false.
    pub(crate) fn sound(mut self, sound: bool) -> Self {
        self.sound &= sound;
        self
    }

    /// One argument, in a form that no other value of its type has, as far as its `Serialize` tells
    /// them apart: what `#[serde(skip)]` leaves out, or two variants of an untagged enum that write
    /// the same, cannot be seen.
    ///
    /// A value whose `Serialize` fails makes the key [unsound](Key::is_sound).
    #[must_use]
    pub fn arg<T: KeyArgument + ?Sized>(mut self, argument: &T) -> Self {
        self.begin_argument();
        self.sound &= write::argument(&mut self.text, argument).is_ok();
        self
    }

    /// One argument that is a secret: only a digest of what [`arg`](Self::arg) would write stands
    /// in the key, `#` and 64 hexadecimal digits of BLAKE3.
    ///
    /// A digest hides what cannot be guessed. For what can be, a short password or a phone number,
    /// give the cache a [`key_secret`](crate::CacheBuilder::key_secret): stores and logs then see a
    /// digest keyed by it. Another binary makes the same key with the same calls, and reaches the
    /// same value if its cache has the same secret.
    ///
    /// ```
    /// let key = cache_core::Key::for_function("shop::session").digest("tok-EXAMPLE-1").finish();
    /// assert!(key.as_str().starts_with("shop::session:v1(#"));
    /// assert!(!key.as_str().contains("tok-EXAMPLE-1"));
    /// ```
    #[must_use]
    pub fn digest<T: KeyArgument + ?Sized>(mut self, secret: &T) -> Self {
        self.begin_argument();
        let mut text = Text::limited(String::new(), LONGEST_ARGUMENTS);
        self.sound &= write::argument(&mut text, secret).is_ok();
        self.text.push_str("#");
        self.secrets.push(self.text.len());
        self.text.push_str(&text.take_digest().to_hex());
        self
    }

    fn begin_argument(&mut self) {
        if std::mem::replace(&mut self.after_argument, true) {
            self.text.push_str(",");
        }
    }

    /// Fixed text of a key template. Where it could be read as part of the argument before it, a
    /// comma goes between.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        if self.after_argument && text.starts_with(write::continues_a_token) {
            self.text.push_str(",");
        }
        self.text.push_str(&write::escaped(text));
        self.after_argument &= text.is_empty();
        self
    }

    /// The finished key.
    #[must_use]
    pub fn finish(mut self) -> Key {
        self.text.push_str(")");
        let (mut text, digest) = self.text.finish();
        if let Some(digest) = digest {
            text.pop(); // the bracket that opened the arguments
            text.push('#');
            if !self.secrets.is_empty() {
                self.secrets = vec![text.len()]; // it tells as much as those within it
            }
            text.push_str(&digest.to_hex());
        }
        let secrets = (!self.secrets.is_empty()).then(|| self.secrets.into());
        Key { text: text.into(), sound: self.sound, secrets }
    }
}

#[cfg(test)]
mod tests;
