//! The part of a key that says which function it is of.

mod instance;
mod tokens;

use std::any::{TypeId, type_name};
use std::borrow::Cow;

use super::write::escaped;

pub(crate) use instance::{arguments_of, has_nameless_argument, mark_of, may_have_homonyms};
use tokens::{Token, Tokens};

/// The compiler's name of an item in a wrapper. Two instances of a generic function may have one
/// text: where it names two types that are called the same.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    pub(crate) text: &'static str,
    pub(crate) id: TypeId,
}

/// The name of a value's type: module, function, implementing type, arguments.
pub fn name_of<T>(_: &T) -> Name {
    Name { text: type_name::<T>(), id: typeid::of::<T>() }
}

/// An identity longer than this many bytes is cut and ends in a digest of the whole.
pub(super) const LONGEST: usize = 512;

/// The identity as it stands in a key. A cut one has more than [`LONGEST`] bytes, digest included,
/// so that no whole one reads the same.
///
/// Colons stand in pairs between other characters, as in every path; all others are escaped. So the
/// first colon of a key that stands alone is that of the version, and whatever an identity or a
/// template looks like, none can go on in the other's place: `a:v1(1)` with `(5)` would else be
/// `a` with `(1):v1(5)`.
pub(crate) fn bounded(identity: &str) -> Cow<'_, str> {
    let identity = with_pairs(escaped(identity));
    if identity.len() <= LONGEST {
        return identity;
    }
    let cut = (0..=LONGEST).rfind(|&at| identity.is_char_boundary(at)).unwrap_or(0);
    let digest = blake3::hash(identity.as_bytes());
    let head = identity[..cut].trim_end_matches(':'); // half a pair would stand alone
    format!("{head}#{}", digest.to_hex()).into()
}

/// With `%3A` for colons that are not a pair within.
fn with_pairs(identity: Cow<'_, str>) -> Cow<'_, str> {
    let is_path = |one: &str| !one.is_empty() && !one.contains(':');
    if identity.split("::").all(is_path) {
        return identity;
    }
    let mut written = String::with_capacity(identity.len() + 4);
    let mut rest = &*identity;
    while let Some(at) = rest.find(':') {
        let (before, colons) = rest.split_at(at);
        rest = colons.trim_start_matches(':');
        written += before;
        let count = colons.len() - rest.len();
        let inside = !written.is_empty() && !rest.is_empty();
        written += &if inside && count == 2 { "::".into() } else { "%3A".repeat(count) };
    }
    (written + rest).into()
}

/// The identity behind the compiler's name of a closure in the wrapper: without the closure, the
/// helper functions around it, raw-identifier marks and lifetimes.
pub(crate) fn identity_of(raw: &str) -> String {
    let mut identity = String::with_capacity(raw.len());
    for token in Tokens(raw) {
        match token {
            Token::Lifetime => {}
            Token::Nameless("{{closure}}") if identity.ends_with("::") => {
                identity.truncate(identity.len() - 2);
            }
            // Of a type whose only arguments are lifetimes.
            Token::Other('>') if identity.ends_with('<') => {
                identity.pop();
            }
            Token::Word(text) | Token::Quoted(text) | Token::Nameless(text) => identity += text,
            Token::Arrow => identity += "->",
            Token::Other(c) => identity.push(c),
        }
    }
    identity
}

/// The identity behind the compiler's name of the item `__here` in the wrapper's static.
pub(crate) fn identity_of_item(raw: &str) -> String {
    identity_of(raw.strip_suffix("::__CACHED::__here").unwrap_or(raw))
}
