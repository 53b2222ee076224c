//! Names that look like secrets: keys are readable, so these must not stand there in clear.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{FieldPat, Member, PatIdent, PatTupleStruct, Type, TypeReference};

use crate::problems::Problems;
use crate::signature::Parameter;
use crate::template::Place;

/// The last words of such names. Several tokens or sessions are counted more often than kept.
const SECRETS: [&str; 28] = [
    "token",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "secret_key",
    "private_key",
    "access_key",
    "api_key",
    "apikey",
    "authorization",
    "bearer",
    "jwt",
    "credential",
    "credentials",
    "cookie",
    "session",
    "session_id",
    "auth",
    "otp",
    "passwords",
    "secrets",
    "api_keys",
    "cookies",
    "cvv",
    "ssn",
    "credit_card",
];

/// Members that are the thing itself rather than something about it.
const ITSELF: [&str; 7] = ["value", "raw", "inner", "text", "string", "bytes", "data"];

/// Refuses a parameter, or a name in its pattern, that looks like a secret.
pub(super) fn check_parameter(parameter: &Parameter, problems: &mut Problems) {
    Names { whole: parameter.is_named, problems }.visit_pat(&parameter.pattern);
    if parameter.is_named {
        check_type(parameter, problems);
    }
}

/// `login: &Password`, where the type tells.
fn check_type(parameter: &Parameter, problems: &mut Problems) {
    let name = parameter.name.unraw().to_string();
    let mut ty = &parameter.ty;
    while let Type::Reference(TypeReference { elem, .. }) = ty {
        ty = elem;
    }
    let Type::Path(path) = ty else { return };
    let last = path.path.segments.last().map(|last| last.ident.to_string());
    if let Some(last) = last.filter(|last| looks_secret(last) && !looks_secret(&name)) {
        problems.at(path.span(), message(&last, &name));
    }
}

/// Refuses a place of a template that looks like a secret.
pub(super) fn check_place(place: &Place, problems: &mut Problems) {
    if let Some(name) = secret_in(place) {
        problems.at(place.span, message(&name, &place.root));
    }
}

/// The secret that a place reads: `token` in `{user.token}`, `{token.0}` and `{token.value}`, and
/// nothing in `{session.user}`.
fn secret_in(place: &Place) -> Option<String> {
    let members = place.members.iter().filter_map(|member| match member {
        Member::Named(name) => Some(name.unraw().to_string()),
        Member::Unnamed(_) => None,
    });
    let mut names: Vec<_> = std::iter::once(place.root.clone()).chain(members).collect();
    while names.len() > 1 && names.last().is_some_and(|last| ITSELF.contains(&last.as_str())) {
        names.pop();
    }
    names.pop().filter(|name| looks_secret(name))
}

struct Names<'p> {
    /// The pattern is a plain name, which other arguments can refer to.
    whole: bool,
    problems: &'p mut Problems,
}

impl Names<'_> {
    /// Something in a pattern that no list of parameters can name.
    fn refuse_part(&mut self, name: &str, span: Span) {
        let message = format!(
            "`{name}` looks like a secret, and keys are readable: give this parameter a plain name \
             and write `hash(..)` or `skip(..)` for it"
        );
        self.problems.at(span, message);
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let name = pattern.ident.unraw().to_string();
        if looks_secret(&name) {
            match self.whole {
                true => self.problems.at(pattern.span(), message(&name, &name)),
                false => self.refuse_part(&name, pattern.span()),
            }
        }
        visit::visit_pat_ident(self, pattern);
    }

    /// `password: given`, where the name in front of the colon tells.
    fn visit_field_pat(&mut self, field: &'ast FieldPat) {
        match &field.member {
            Member::Named(name)
                if field.colon_token.is_some() && looks_secret(&name.to_string()) =>
            {
                self.refuse_part(&name.to_string(), name.span());
            }
            _ => visit::visit_field_pat(self, field),
        }
    }

    /// `Token(given)`, where the type tells.
    fn visit_pat_tuple_struct(&mut self, pattern: &'ast PatTupleStruct) {
        match pattern.path.segments.last() {
            Some(ty) if looks_secret(&ty.ident.to_string()) => {
                self.refuse_part(&ty.ident.to_string(), ty.ident.span());
            }
            _ => visit::visit_pat_tuple_struct(self, pattern),
        }
    }
}

/// `AccessToken` and `accessToken` as `access_token`.
fn words(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut words = String::new();
    for (at, letter) in letters.iter().enumerate() {
        if letter.is_uppercase() && at > 0 && letters[at - 1].is_lowercase() {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Whether a name, by itself or after a describing word, is one of a secret.
fn looks_secret(name: &str) -> bool {
    let name = words(name.trim_start_matches('_'));
    let mut name = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '_');
    while let Some((before, last)) = name.rsplit_once('_')
        && (ITSELF.contains(&last) || last == "str")
    {
        name = before;
    }
    let ends_in = |secret: &&str| {
        let before = name.strip_suffix(*secret);
        before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    SECRETS.iter().any(ends_in)
}

fn message(name: &str, root: &str) -> String {
    format!(
        "`{name}` looks like a secret, and keys are readable: write `hash({root})` for a digest, \
         `skip({root})` to leave it out, or `plain({root})` if it may be read"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "token",
            "_token",
            "csrf_token",
            "API_KEY",
            "session_id",
            "user_password",
            "password1",
            "token_str",
            "secret_2",
            "raw_token_bytes",
            "passwords",
            "apiKey",
            "AccessToken",
            "sessionId",
            "JWT",
        ] {
            assert!(looks_secret(name), "{name}");
        }
        for name in [
            "tokens",
            "tokenizer",
            "secretary",
            "sessions",
            "key",
            "author",
            "token_count",
            "id",
            "str",
        ] {
            assert!(!looks_secret(name), "{name}");
        }
    }
}
