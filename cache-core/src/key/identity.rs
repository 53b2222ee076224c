//! The part of a key that says which function it is of.

use std::any::{TypeId, type_name};
use std::borrow::Cow;

use super::write::escaped;

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
pub(super) fn bounded(identity: &str) -> Cow<'_, str> {
    let identity = escaped(identity);
    if identity.len() <= LONGEST {
        return identity;
    }
    let cut = (0..=LONGEST).rfind(|&at| identity.is_char_boundary(at)).unwrap_or(0);
    let digest = blake3::hash(identity.as_bytes());
    format!("{}#{}", &identity[..cut], digest.to_hex()).into()
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

/// The identity behind the compiler's name of the item `__here` in the wrapper's static.
pub(crate) fn identity_of_item(raw: &str) -> String {
    identity_of(raw.strip_suffix("::__CACHED::__here").unwrap_or(raw))
}

/// Whether a closure or another type without a name stands between the angle brackets of the
/// compiler's name.
pub(crate) fn has_nameless_argument(raw: &str) -> bool {
    let mut depth = 0_usize;
    let mut before = ' ';
    raw.char_indices().any(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
        depth > 0 && is_nameless(&raw[at..])
    })
}

/// A type declared in a closure or an async block has a name, which stands behind theirs.
fn is_nameless(rest: &str) -> bool {
    rest.starts_with("{{")
        && rest
            .split_once("}}")
            .and_then(|(_, after)| after.strip_prefix("::"))
            .is_none_or(is_nameless)
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
