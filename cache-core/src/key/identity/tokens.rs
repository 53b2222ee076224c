//! The compiler's names of types, cut into tokens.

/// One token of a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'n> {
    /// Letters, digits and `_`, without the mark of a raw identifier.
    Word(&'n str),
    /// A constant of type `char` (or text, which unstable Rust has), with its quotes.
    Quoted(&'n str),
    /// What has no name: `{{closure}}`.
    Nameless(&'n str),
    /// A lifetime, and what sets it apart from what follows.
    Lifetime,
    /// `->`
    Arrow,
    /// Any other character.
    Other(char),
}

/// What is left of a name.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'n>(pub(super) &'n str);

impl<'n> Iterator for Tokens<'n> {
    type Item = Token<'n>;

    fn next(&mut self) -> Option<Token<'n>> {
        let rest = self.0.strip_prefix("r#").unwrap_or(self.0);
        let first = rest.chars().next()?;
        let (token, len): (fn(&'n str) -> Token<'n>, _) = if is_of_word(first) {
            (Token::Word, rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()))
        } else if let Some(len) = quoted(rest) {
            (Token::Quoted, len)
        } else if first == '\'' {
            (|_| Token::Lifetime, lifetime(rest))
        } else if rest.starts_with("->") {
            (|_| Token::Arrow, 2)
        } else if let Some(end) = rest.strip_prefix("{{").and_then(|inside| inside.find("}}")) {
            (Token::Nameless, end + 4)
        } else {
            self.0 = &rest[first.len_utf8()..];
            return Some(Token::Other(first));
        };
        let (found, rest) = rest.split_at(len);
        self.0 = rest;
        Some(token(found))
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the constant that `text` begins with: `'a'` is one, `'a, 'b` are lifetimes.
fn quoted(text: &str) -> Option<usize> {
    let mut inside = text.char_indices();
    let (_, quote) = inside.next().filter(|(_, c)| matches!(c, '\'' | '"'))?;
    if quote == '\'' && !text.starts_with("'\\") {
        let (at, last) = inside.nth(1)?;
        return (last == '\'').then_some(at + 1);
    }
    while let Some((at, c)) = inside.next() {
        if c == quote {
            return Some(at + 1);
        }
        if c == '\\' {
            inside.next(); // it may be a quote
        }
    }
    None
}

/// The length of a lifetime and of the comma or space behind it.
fn lifetime(text: &str) -> usize {
    let rest = text[1..].trim_start_matches(is_of_word);
    let rest = rest.strip_prefix(", ").or(rest.strip_prefix(' ')).unwrap_or(rest);
    text.len() - rest.len()
}
