//! The key template: literal text and places such as `{id}`, `{user.id}`, `{self.part}`, `{pair.0}`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, Ident, Index, LitStr, Member};

/// A template taken apart.
pub(crate) struct Template {
    pub(crate) literal: LitStr,
    pub(crate) pieces: Vec<Piece>,
}

/// One stretch of a template.
pub(crate) enum Piece {
    Text(String),
    Place(Place),
}

/// A parameter, or something inside it.
pub(crate) struct Place {
    /// The parameter's name without `r#`; `self` for the receiver.
    pub(crate) root: String,
    pub(crate) members: Vec<Member>,
    pub(crate) span: Span,
}

impl Parse for Template {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let literal: LitStr = input.parse().map_err(|error: Error| {
            let message = "this is no text: write what the key is made of in quotes, such as \
                           \"{id}\"";
            Error::new(error.span(), message)
        })?;
        let pieces = split(&literal.value(), literal.span())
            .map_err(|message| Error::new(literal.span(), message))?;
        Ok(Self { literal, pieces })
    }
}

impl Template {
    /// Whether a place begins with this parameter, `self` included.
    pub(crate) fn names(&self, parameter: &str) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Place(one) if one.root == parameter))
    }
}

fn split(text: &str, span: Span) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, found) = rest.split_at(at);
        plain += before;
        if found.starts_with("{{") || found.starts_with("}}") {
            plain += &found[..1];
            rest = &found[2..];
        } else if found.starts_with('}') {
            return Err("`}` without `{`: write `}}` for a literal brace".to_owned());
        } else {
            let (inside, after) = found[1..]
                .split_once('}')
                .ok_or("`{` is never closed: write `{{` for a literal brace")?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Place(parse_place(inside.trim(), span)?));
            rest = after;
        }
    }
    plain += rest;
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

fn parse_place(text: &str, span: Span) -> Result<Place, String> {
    let not_a_place = || {
        format!(
            "`{{{text}}}` is not a place: write a parameter or one of its fields, such as \
                 `{{id}}`, `{{user.id}}` or `{{pair.0}}`"
        )
    };
    let mut parts = text.split('.');
    let root = parts.next().and_then(|part| parse_name(part, span)).ok_or_else(not_a_place)?;
    let members = parts.map(|part| parse_member(part, span)).collect::<Option<_>>();
    Ok(Place { root: root.unraw().to_string(), members: members.ok_or_else(not_a_place)?, span })
}

fn parse_member(text: &str, span: Span) -> Option<Member> {
    match text.parse() {
        Ok(index) => Some(Member::Unnamed(Index { index, span })),
        Err(_) => parse_name(text, span).map(Member::Named),
    }
}

/// A name; a keyword is taken for the raw name that a field or parameter must have.
fn parse_name(text: &str, span: Span) -> Option<Ident> {
    let plain = syn::parse_str::<Ident>(text);
    let any = || Ident::parse_any.parse_str(text).ok();
    let mut name = match plain {
        Ok(name) => name,
        Err(_) if text == "self" => any()?,
        Err(_) => Ident::new_raw(&any()?.to_string(), Span::call_site()),
    };
    name.set_span(span);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn check(input: &str, expected: &str) {
        let shown = match split(input, Span::call_site()) {
            Ok(pieces) => pieces.iter().map(show).collect::<Vec<_>>().join(" "),
            Err(message) => format!("refused: {message}"),
        };
        assert!(shown.starts_with(expected), "{input}: {shown}");
    }

    fn show(piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => format!("{text:?}"),
            Piece::Place(place) => {
                place.members.iter().fold(place.root.clone(), |shown, member| {
                    format!("{shown}.{}", member.to_token_stream())
                })
            }
        }
    }

    #[test]
    fn templates() {
        check("", "");
        check("all", "\"all\"");
        check("{id}", "id");
        check("product:{id}:{user.id}", "\"product:\" id \":\" user.id");
        check("{self.part}/{pair.0.1}", "self.part \"/\" pair.0.1");
        check("{{{id}}}", "\"{\" id \"}\"");
        check("{type}{item.match}", "type item.r#match");
        check("{ id }", "id");
    }

    #[test]
    fn refusals() {
        check("{id", "refused: `{` is never closed: write `{{`");
        check("id}", "refused: `}` without `{`: write `}}`");
        check("{}", "refused: `{}` is not a place: write a parameter");
        check("{id:?}", "refused: `{id:?}` is not a place");
        check("{id.}", "refused: `{id.}` is not a place");
        check("{f()}", "refused: `{f()}` is not a place");
        check("{0}", "refused: `{0}` is not a place");
    }
}
