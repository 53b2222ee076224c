//! Names that look like secrets: keys are readable, so these must not stand there in clear.

use syn::PatIdent;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::problems::Problems;
use crate::signature::Parameter;
use crate::template::Place;

const SECRETS: [&str; 9] = [
    "token",
    "password",
    "passwd",
    "secret",
    "api_key",
    "apikey",
    "authorization",
    "session",
    "session_id",
];

/// Refuses a parameter, or a name in its pattern, that looks like a secret.
pub(super) fn check_parameter(parameter: &Parameter, problems: &mut Problems) {
    Names { whole: parameter.is_named, problems }.visit_pat(&parameter.pattern);
}

/// Refuses a place of a template that looks like a secret.
pub(super) fn check_place(place: &Place, problems: &mut Problems) {
    let name = place.last_name();
    if looks_secret(&name) {
        problems.at(place.span, message(&name, &place.root));
    }
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
