//! Names that look like secrets: keys are readable, so these must not stand there in clear.

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Member, PatIdent};

use crate::problems::Problems;
use crate::signature::Parameter;
use crate::template::Place;

/// The last words of such names.
const SECRETS: [&str; 19] = [
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
];

/// Members that are the thing itself rather than something about it.
const ITSELF: [&str; 7] = ["value", "raw", "inner", "text", "string", "bytes", "data"];

/// Refuses a parameter, or a name in its pattern, that looks like a secret.
pub(super) fn check_parameter(parameter: &Parameter, problems: &mut Problems) {
    Names { whole: parameter.is_named, problems }.visit_pat(&parameter.pattern);
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

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let name = pattern.ident.unraw().to_string();
        if looks_secret(&name) {
            let message = match self.whole {
                true => message(&name, &name),
                false => format!(
                    "`{name}` looks like a secret, and keys are readable: give this parameter a \
                     plain name and write `hash(..)` or `skip(..)` for it"
                ),
            };
            self.problems.at(pattern.span(), message);
        }
        visit::visit_pat_ident(self, pattern);
    }
}

/// Whether a name, by itself or after a describing word, is one of a secret.
fn looks_secret(name: &str) -> bool {
    let name = name.trim_start_matches('_').to_lowercase();
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
        for name in ["token", "_token", "csrf_token", "API_KEY", "session_id", "user_password"] {
            assert!(looks_secret(name), "{name}");
        }
        for name in ["tokens", "tokenizer", "secretary", "sessions", "key", "passwords", "id"] {
            assert!(!looks_secret(name), "{name}");
        }
    }
}
