//! What tells the instances of one function apart.

use std::any::TypeId;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::tokens::{Token, Tokens};

/// What of an instance's `path` goes behind the function's `name`.
///
/// `base` is the path of an item in the function, in which parameters stand for what an instance
/// has. Mostly both are the same but for their argument lists, and these are enough: of
/// `<shop::Bank<u16> as shop::Rates>::quote` it is `<u16>`. Else the type that the method stands on
/// goes before them, as it does for methods that a trait has itself, and for an `impl` on `T`, `[T]`
/// or `(T, T)`: of `<shop::Users as shop::Table>::rows<u8>` it is `<shop::Users><u8>`.
pub(crate) fn arguments_of(path: &str, base: &str) -> String {
    let (outside, lists) = argument_lists(path);
    if outside == argument_lists(base).0 {
        return lists;
    }
    match split_self(path) {
        Some((of_self, rest)) => format!("<{of_self}>{}", argument_lists(rest).1),
        None => format!("<{path}>"), // not known to happen
    }
}

/// A path without its lists of generic arguments, and the lists.
fn argument_lists(path: &str) -> (String, String) {
    let (mut outside, mut lists) = (String::new(), String::new());
    let mut depth = 0_usize; // nesting within a list
    let mut begins_list = false; // a list begins behind a name, `<T as Trait>` does not
    for (token, text) in with_text(path) {
        depth += usize::from(token == Token::Other('<') && (begins_list || depth > 0));
        if depth > 0 { &mut lists } else { &mut outside }.push_str(text);
        depth -= usize::from(token == Token::Other('>') && depth > 0);
        begins_list = matches!(token, Token::Word(_) | Token::Other(':'));
    }
    (outside, lists)
}

/// The type `T` of a path `<T as Trait>::method`, and what follows it.
fn split_self(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix('<')?;
    let (mut depth, mut at, mut before) = (0_usize, 0, "");
    for (token, text) in with_text(path) {
        match token {
            Token::Other('<') => depth += 1,
            Token::Other('>') if depth == 0 => return Some(path.split_at(at)),
            Token::Other('>') => depth -= 1,
            Token::Word("as") if depth == 0 && before == " " => {
                return Some((path[..at].trim_end(), &path[at..]));
            }
            _ => {}
        }
        (at, before) = (at + text.len(), text);
    }
    None
}

/// Tokens with what they were read from.
fn with_text(path: &str) -> impl Iterator<Item = (Token<'_>, &str)> {
    let mut tokens = Tokens(path);
    std::iter::from_fn(move || {
        let before = tokens.0;
        let token = tokens.next()?;
        Some((token, &before[..before.len() - tokens.0.len()]))
    })
}

/// Whether a closure or another type without a name stands between the angle brackets of the
/// compiler's name. A type declared in a closure or an async block has a name, which stands behind
/// theirs.
pub(crate) fn has_nameless_argument(raw: &str) -> bool {
    nameless(raw).any(|rest| !rest.starts_with("::"))
}

/// Whether the compiler may print other types than these in the same words: types that are declared
/// in closures or async blocks, which have no names, and types of functions that take or give
/// something with a lifetime, which is not told from another lifetime.
///
/// Nothing shows this of types that are declared in two blocks of one `fn`, or in two versions of a
/// crate.
pub(crate) fn may_have_homonyms(raw: &str) -> bool {
    nameless(raw).next().is_some() || binds_a_lifetime(raw)
}

/// What follows each `{{closure}}` between angle brackets.
fn nameless(raw: &str) -> impl Iterator<Item = &str> {
    let (mut tokens, mut depth) = (Tokens(raw), 0_usize);
    std::iter::from_fn(move || {
        loop {
            match tokens.next()? {
                Token::Other('<') => depth += 1,
                Token::Other('>') => depth = depth.saturating_sub(1),
                Token::Nameless(_) if depth > 0 => return Some(tokens.0),
                _ => {}
            }
        }
    })
}

/// Whether a reference or a lifetime stands in the type of a function pointer or trait object.
fn binds_a_lifetime(raw: &str) -> bool {
    let mut tokens = Tokens(raw);
    let mut depth = 0_usize; // of all brackets
    let mut binder = None; // the depth at which such a type began
    while let Some(token) = tokens.next() {
        match token {
            Token::Word("fn") if tokens.0.starts_with('(') => binder = binder.or(Some(depth)),
            Token::Word("dyn") if tokens.0.starts_with(' ') => binder = binder.or(Some(depth)),
            Token::Lifetime | Token::Other('&') if binder.is_some() => return true,
            Token::Other('<' | '(' | '[') => depth += 1,
            Token::Other('>' | ')' | ']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = token == Token::Other(',') && binder == Some(depth);
        binder = binder.filter(|began| !ends && *began <= depth);
    }
    false
}

/// Text that no other instance of this program has, nor of another program that holds the same
/// build of the function: types have no other mark that outlives a process.
pub(crate) fn mark_of(instance: TypeId) -> String {
    let mut hasher = DefaultHasher::new();
    instance.hash(&mut hasher);
    format!("#{:016x}", hasher.finish())
}
