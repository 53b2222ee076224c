//! Which names stand bare in a key. An untagged enum puts names where text and numbers stand, so a
//! bare one must read like nothing else.

/// What stands bare in a key and is no name.
const OTHERS: [&str; 6] = ["none", "some", "true", "false", "nan", "inf"];

/// Whether it is a word, and no other token. Serde may have renamed it to anything.
pub(super) fn is_bare(name: &str) -> bool {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word && !name.starts_with(char::is_numeric) && !OTHERS.contains(&name)
}
