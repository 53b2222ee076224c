//! All keys of one function: its identity and version, whatever the arguments and type arguments.

use super::identity::{LONGEST, bounded};
use super::write::{DIGEST, escaped};

/// The keys of one function within a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Family {
    /// What every key of the namespace begins with.
    opening: String,
    /// The identity as it stands in keys, cut where a type argument may be anything.
    parts: Vec<String>,
    /// What ends the identity: `:v1`.
    version: String,
}

impl Family {
    /// Of a function by its identity. `generic`: `_` in it stands for a type argument of the `impl`
    /// around the function.
    pub(crate) fn new(namespace: &str, identity: &str, version: u32, generic: bool) -> Self {
        let mut opening = String::new();
        super::open_tag(&mut opening, namespace);
        let parts = if generic {
            parts_of(&escaped(identity))
        } else {
            vec![bounded(identity).into_owned()]
        };
        Self { opening, parts, version: format!(":v{version}") }
    }

    /// What the store's names of all these keys begin with, and perhaps those of others.
    pub(crate) fn prefix(&self) -> String {
        let first: String = self.parts[0].chars().take(LONGEST / 4).collect(); // one is cut there at most
        self.opening.clone() + &first
    }

    /// The key, as a store knows it, that this name of the store's belongs to, if that is one of
    /// these and holds more than its generation.
    pub(crate) fn tag_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (tag, rest) = name.split_at(name.find('}')? + 1); // nothing in a key has a brace
        (rest != ":gen" && self.has_tag(tag)).then_some(tag)
    }

    /// Whether a store's key is one of these.
    pub(crate) fn has_tag(&self, tag: &str) -> bool {
        tag.strip_prefix(self.opening.as_str()).is_some_and(|key| self.has(key))
    }

    /// Whether a key without namespace is one of these.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.has_whole(key) || self.has_cut(key)
    }

    fn has_whole(&self, key: &str) -> bool {
        after_parts(key, &self.parts, &|rest| self.has_arguments(after_lists(rest)))
    }

    fn has_arguments(&self, rest: &str) -> bool {
        let arguments = rest.strip_prefix(self.version.as_str());
        arguments.is_some_and(|arguments| arguments.starts_with(['(', '#']))
    }

    /// Of an identity too long for a key only the beginning can be compared. What looks like one of
    /// these is taken for one: a load too many is better than a value that stays.
    fn has_cut(&self, key: &str) -> bool {
        let Some((at, _)) = key.match_indices('#').find(|&(at, _)| at + 3 >= LONGEST) else {
            return false;
        };
        let (identity, rest) = (&key[..at], &key[at + 1..]);
        let is_cut = rest.len() > DIGEST && rest.is_char_boundary(DIGEST) && at <= LONGEST;
        is_cut && self.has_arguments(&rest[DIGEST..]) && begins(identity, &self.parts)
    }
}

/// The identity without the `_` that stand for types.
fn parts_of(identity: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut before = ' ';
    let mut rest = identity.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '_' && !is_name(before) && !rest.peek().is_some_and(|&next| is_name(next)) {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("there is one at least").push(c);
        }
        before = c;
    }
    parts
}

/// Whether `text` is made of these parts, with a type between each two, and `ends` as it should.
fn after_parts(text: &str, parts: &[String], ends: &dyn Fn(&str) -> bool) -> bool {
    let Some((first, others)) = parts.split_first() else { return ends(text) };
    let Some(rest) = text.strip_prefix(first.as_str()) else { return false };
    if others.is_empty() {
        return ends(rest);
    }
    type_ends(rest).any(|end| after_parts(&rest[end..], others, ends))
}

/// Whether `cut` is the beginning of a text of these parts.
fn begins(cut: &str, parts: &[String]) -> bool {
    let Some((first, others)) = parts.split_first() else { return cut.starts_with('<') };
    match cut.strip_prefix(first.as_str()) {
        Some(rest) if others.is_empty() => rest.starts_with('<'),
        Some(rest) => begins_within(rest, others),
        None => first.starts_with(cut),
    }
}

/// The cut may lie within the type itself.
fn begins_within(rest: &str, others: &[String]) -> bool {
    let mut depth = 0_i32;
    rest.chars().for_each(|c| depth += i32::from(c == '<') - i32::from(c == '>'));
    depth > 0 || type_ends(rest).any(|end| begins(&rest[end..], others))
}

/// Where a type at the beginning of this text may end: nowhere within brackets that it opened.
fn type_ends(text: &str) -> impl Iterator<Item = usize> {
    let (mut depth, mut before, mut closed) = (0_i32, ' ', false);
    text.char_indices().filter_map(move |(at, c)| {
        let may_end = depth == 0 && at > 0 && !closed;
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        closed |= depth < 0; // what closes here was opened before the type
        before = c;
        may_end.then_some(at)
    })
}

/// What follows the lists of type arguments at the beginning of this text.
fn after_lists(mut text: &str) -> &str {
    while text.starts_with('<') {
        let (mut depth, mut before) = (0_i32, ' ');
        let end = text.char_indices().find_map(|(at, c)| {
            match c {
                '<' => depth += 1,
                '>' if before != '-' => depth -= 1,
                _ => {}
            }
            before = c;
            (depth == 0).then_some(at + 1)
        });
        let Some(end) = end else { break };
        text = &text[end..];
    }
    text
}

#[cfg(test)]
mod tests;
