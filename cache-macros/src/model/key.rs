//! What makes one call differ from another: the argument part of the key.

use syn::ext::IdentExt;
use syn::{Ident, Member};

use crate::args::Given;
use crate::problems::Problems;
use crate::signature::Function;
use crate::template::{Piece, Place, Template};

/// The argument part of the key.
pub(crate) struct Key {
    pub(crate) parts: Vec<KeyPart>,
    /// For people: `a, b`, or the template as written.
    pub(crate) shown: String,
}

/// One stretch of it.
pub(crate) enum KeyPart {
    Text(String),
    /// A parameter or something inside it.
    Value {
        root: Ident,
        members: Vec<Member>,
    },
}

const SECRETS: [&str; 6] = ["token", "password", "secret", "api_key", "authorization", "session"];

/// Accounts for every parameter.
pub(crate) fn check(
    template: Option<&Given<Template>>,
    skip: Option<&Given<Vec<Ident>>>,
    function: &Function,
    problems: &mut Problems,
) -> Key {
    let skipped = check_skip(skip, function, problems);
    match template {
        Some(given) => from_template(&given.value, &skipped, function, problems),
        None => from_every_argument(&skipped, function, problems),
    }
}

fn check_skip(
    skip: Option<&Given<Vec<Ident>>>,
    function: &Function,
    problems: &mut Problems,
) -> Vec<String> {
    let mut skipped = Vec::new();
    for name in skip.iter().flat_map(|given| &given.value) {
        let plain = name.unraw().to_string();
        if find(&plain, function).is_none() {
            problems.at(name.span(), unknown("skip", &plain, function));
        } else if skipped.contains(&plain) {
            problems.at(name.span(), format!("`{plain}` is skipped twice"));
        }
        skipped.push(plain);
    }
    skipped
}

fn from_every_argument(skipped: &[String], function: &Function, problems: &mut Problems) -> Key {
    let is_skipped = |name: &str| skipped.iter().any(|known| known == name);
    let (mut parts, mut shown) = (Vec::new(), Vec::new());
    if let Some(receiver) = function.receiver.as_ref().filter(|_| !is_skipped("self")) {
        problems.at(receiver.self_token.span, WHO_IS_SELF);
    }
    for parameter in &function.parameters {
        let name = parameter.name.unraw().to_string();
        if parameter.is_named && is_skipped(&name) {
            continue;
        }
        if parameter.is_named && is_secret(&name) {
            problems.at(parameter.name.span(), secret(&name));
        }
        shown.push(name);
        parts.push(KeyPart::Value { root: parameter.name.clone(), members: Vec::new() });
    }
    Key { parts, shown: shown.join(", ") }
}

fn from_template(
    template: &Template,
    skipped: &[String],
    function: &Function,
    problems: &mut Problems,
) -> Key {
    let span = template.literal.span();
    let mut named = Vec::new();
    let mut parts = Vec::new();
    for piece in &template.pieces {
        match piece {
            Piece::Text(text) => parts.push(KeyPart::Text(text.clone())),
            Piece::Place(place) => {
                named.push(place.root.clone());
                parts.extend(check_place(place, skipped, function, problems));
            }
        }
    }
    let is_missing = |name: &str| !named.iter().chain(skipped).any(|known| known == name);
    if let Some(receiver) = function.receiver.as_ref().filter(|_| is_missing("self")) {
        problems.at(receiver.self_token.span, WHO_IS_SELF);
    }
    for parameter in &function.parameters {
        let name = parameter.name.unraw().to_string();
        if !parameter.is_named {
            let message = "a pattern cannot be named in `key`: give this parameter a plain name and \
                           take it apart in the body";
            problems.add(syn::Error::new_spanned(&parameter.pattern, message));
        } else if is_missing(&name) {
            let message = format!(
                "`{name}` is in neither `key` nor `skip`: write `{{{name}}}` in the template, or \
                 `skip({name})`"
            );
            problems.at(span, message);
        }
    }
    Key { parts, shown: template.literal.value() }
}

fn check_place(
    place: &Place,
    skipped: &[String],
    function: &Function,
    problems: &mut Problems,
) -> Option<KeyPart> {
    let Some(root) = find(&place.root, function) else {
        problems.at(place.span, unknown("key", &place.root, function));
        return None;
    };
    if skipped.contains(&place.root) {
        let message = format!("`{}` is both in `key` and in `skip`: choose one", place.root);
        problems.at(place.span, message);
    }
    let name = place.last_name();
    if is_secret(&name) {
        problems.at(place.span, secret(&name));
    }
    Some(KeyPart::Value { root, members: place.members.clone() })
}

/// The parameter of this name, as the wrapper spells it.
fn find(name: &str, function: &Function) -> Option<Ident> {
    let receiver = function.receiver.as_ref().filter(|_| name == "self");
    let parameter =
        || function.parameters.iter().find(|one| one.is_named && one.name.unraw() == name);
    match receiver {
        Some(receiver) => Some(Ident::new("self", receiver.self_token.span)),
        None => parameter().map(|parameter| parameter.name.clone()),
    }
}

const WHO_IS_SELF: &str = "who is `self`? Write `skip(self)` if every value answers alike, or name \
                           what tells two values apart: `key = \"..{self.id}..\"`";

fn unknown(argument: &str, name: &str, function: &Function) -> String {
    let receiver = function.receiver.iter().map(|_| "self".to_owned());
    let named = function.parameters.iter().filter(|one| one.is_named);
    let known: Vec<_> = receiver.chain(named.map(|one| one.name.unraw().to_string())).collect();
    let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
    format!(
        "`{argument}` names no parameter of `{}`: found `{name}`, known: {known}",
        function.name.unraw()
    )
}

/// Whether a name, by itself or after a describing word, is one of a secret.
fn is_secret(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name == "session_id"
        || SECRETS.iter().any(|secret| {
            name.strip_suffix(secret)
                .is_some_and(|before| before.is_empty() || before.ends_with('_'))
        })
}

fn secret(name: &str) -> String {
    format!("`{name}` looks like a secret, and keys are readable: leave it out with `skip(..)`")
}
