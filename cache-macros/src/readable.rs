//! Tokens as a person would write them, for messages and documentation.

use quote::ToTokens;

/// Without the spaces that printing puts around punctuation.
pub(crate) fn readable(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let mut shown = String::new();
    for (at, letter) in text.char_indices() {
        if letter != ' ' || !is_needless(&shown, &text[at + 1..]) {
            shown.push(letter);
        }
    }
    shown
}

/// Whether a space between these two may go.
fn is_needless(before: &str, after: &str) -> bool {
    let opens = after.starts_with(['(', '<']) && before.ends_with(char::is_alphanumeric);
    before.ends_with(['<', '(', '&', '.'])
        || before.ends_with("::")
        || after.starts_with([',', ';', ')', '>', '.'])
        || after.starts_with("::")
        || opens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str) {
        let tokens: proc_macro2::TokenStream = written.parse().unwrap();
        assert_eq!(readable(&tokens), written);
    }

    #[test]
    fn as_written() {
        check("Result<Vec<(u8, String)>, Box<dyn Error + Send + 'static>>");
        check("std::collections::HashMap<u8, (u8, u8)>");
        check("&'a str");
        check("<T as Source>::Answer");
        check("Duration::from_secs(5) * self.factor");
        check("fn(u8) -> u8");
    }
}
