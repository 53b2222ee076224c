//! What makes one call differ from another: the argument part of the key.

mod secrets;
mod written;

use syn::ext::IdentExt;
use syn::{Error, Ident, Member, Receiver};

use crate::args::{Args, Given};
use crate::problems::Problems;
use crate::signature::{Function, Parameter};
use crate::template::{Piece, Place, Template};

/// The argument part of the key.
pub(crate) struct Key {
    pub(crate) parts: Vec<KeyPart>,
    /// For people: `a, b`, or the template as written.
    pub(crate) shown: String,
    /// What each parameter does for the key, the receiver first.
    pub(crate) roles: Vec<Role>,
}

/// One stretch of it.
pub(crate) enum KeyPart {
    Text(String),
    /// A parameter or something inside it.
    Value {
        root: Ident,
        members: Vec<Member>,
        digest: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Role {
    Key,
    Plain,
    Hash,
    Skip,
}

/// Accounts for every parameter.
pub(crate) fn check(args: &Args, function: &Function, problems: &mut Problems) -> Key {
    let named = Named::check(args, function, problems);
    let mut key = match &args.key {
        Some(given) => from_template(&given.value, &named, function, problems),
        None => from_every_argument(&named, function, problems),
    };
    let receiver = function.receiver.iter().map(|_| named.role("self"));
    key.roles = receiver.chain(function.parameters.iter().map(|one| named.role_of(one))).collect();
    key
}

/// The parameters named in `skip`, `hash` and `plain`.
struct Named(Vec<(String, Role)>);

impl Named {
    fn check(args: &Args, function: &Function, problems: &mut Problems) -> Self {
        let mut named = Self(Vec::new());
        for (list, role, argument) in [
            (&args.skip, Role::Skip, "skip"),
            (&args.hash, Role::Hash, "hash"),
            (&args.plain, Role::Plain, "plain"),
        ] {
            named.add(list.as_ref(), role, argument, function, problems);
        }
        named
    }

    fn add(
        &mut self,
        list: Option<&Given<Vec<Ident>>>,
        role: Role,
        argument: &str,
        function: &Function,
        problems: &mut Problems,
    ) {
        for name in list.iter().flat_map(|given| &given.value) {
            let plain = name.unraw().to_string();
            let before = self.0.iter().find(|(known, _)| *known == plain);
            if find(&plain, function).is_none() {
                problems.at(name.span(), unknown(argument, &plain, function));
            } else if let Some((_, before)) = before {
                let message = match *before == role {
                    true => format!("`{plain}` stands in `{argument}` twice"),
                    false => format!(
                        "`{plain}` stands in `{argument}` and in `{}`: choose one",
                        before.name()
                    ),
                };
                problems.at(name.span(), message);
            }
            self.0.push((plain, role));
        }
    }

    fn role(&self, name: &str) -> Role {
        self.0.iter().find(|(known, _)| known == name).map_or(Role::Key, |(_, role)| *role)
    }

    /// An invented name may be that of another parameter.
    fn role_of(&self, parameter: &Parameter) -> Role {
        match parameter.is_named {
            true => self.role(&parameter.name.unraw().to_string()),
            false => Role::Key,
        }
    }
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Plain => "plain",
            Self::Hash => "hash",
            Self::Skip => "skip",
        }
    }
}

fn from_every_argument(named: &Named, function: &Function, problems: &mut Problems) -> Key {
    let (mut parts, mut shown) = (Vec::new(), Vec::new());
    let mut take = |root: Ident, name: String, role: Role| {
        let digest = role == Role::Hash;
        shown.push(if digest { format!("hash({name})") } else { name });
        parts.push(KeyPart::Value { root, members: Vec::new(), digest });
    };
    if let Some(receiver) = &function.receiver {
        match named.role("self") {
            Role::Skip => {}
            Role::Key => problems.at(receiver.self_token.span, WHO_IS_SELF),
            role => take(Ident::new("self", receiver.self_token.span), "self".to_owned(), role),
        }
    }
    for parameter in &function.parameters {
        let name = parameter.name.unraw().to_string();
        let role = named.role_of(parameter);
        if role == Role::Key {
            secrets::check_parameter(parameter, problems);
            written::check(parameter, problems);
        }
        if role != Role::Skip {
            take(parameter.name.clone(), name, role);
        }
    }
    Key { parts, shown: shown.join(", "), roles: Vec::new() }
}

fn from_template(
    template: &Template,
    named: &Named,
    function: &Function,
    problems: &mut Problems,
) -> Key {
    let mut key = Key { parts: Vec::new(), shown: template.literal.value(), roles: Vec::new() };
    for piece in &template.pieces {
        key.parts.extend(match piece {
            Piece::Text(text) => Some(KeyPart::Text(text.clone())),
            Piece::Place(place) => check_place(place, named, function, problems),
        });
    }
    if let Some(receiver) = function.receiver.as_ref().filter(|_| !template.names("self")) {
        key.add_receiver(receiver, named, problems);
    }
    let mut left_out = Vec::new();
    for parameter in &function.parameters {
        if !parameter.is_named {
            let message = "a pattern cannot be named in `key`: give this parameter a plain name and \
                           take it apart in the body";
            problems.add(Error::new_spanned(&parameter.pattern, message));
        } else if !template.names(&parameter.name.unraw().to_string()) {
            left_out.extend(key.add_parameter(parameter, named));
        }
    }
    // As many places that name nothing, which were refused, are meant for these.
    if left_out.len() > template.strangers(function) {
        left_out.iter().for_each(|name| problems.at(template.literal.span(), missing(name)));
    }
    key
}

impl Key {
    /// The places in this parameter that stand in the key, `user.id`, unless all of it does.
    pub(crate) fn parts_of(&self, parameter: &str) -> Vec<String> {
        let of_it = self.parts.iter().filter_map(|part| match part {
            KeyPart::Value { root, members, .. } if root.unraw() == parameter => Some(members),
            _ => None,
        });
        let places = of_it.map(|members| {
            let place = |before: String, member| format!("{before}.{}", in_words(member));
            members.iter().fold(parameter.to_owned(), place)
        });
        let places: Vec<_> = places.collect();
        let is_whole = places.iter().any(|place| place == parameter);
        if is_whole { Vec::new() } else { places }
    }
}

fn in_words(member: &Member) -> String {
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// What the template leaves out.
impl Key {
    fn add_receiver(&mut self, receiver: &Receiver, named: &Named, problems: &mut Problems) {
        let token = receiver.self_token;
        match named.role("self") {
            Role::Skip => {}
            Role::Hash => self.append_digest(Ident::new("self", token.span)),
            Role::Key | Role::Plain => problems.at(token.span, WHO_IS_SELF),
        }
    }

    /// The name of a parameter that is nowhere.
    fn add_parameter(&mut self, parameter: &Parameter, named: &Named) -> Option<String> {
        let name = parameter.name.unraw().to_string();
        match named.role(&name) {
            Role::Skip => {}
            Role::Hash => self.append_digest(parameter.name.clone()),
            Role::Key | Role::Plain => return Some(name),
        }
        None
    }

    fn append_digest(&mut self, root: Ident) {
        self.shown += &format!(",hash({})", root.unraw());
        self.parts.push(KeyPart::Value { root, members: Vec::new(), digest: true });
    }
}

impl Template {
    /// How many places name no parameter.
    fn strangers(&self, function: &Function) -> usize {
        let is_stranger = |piece: &&Piece| matches!(piece, Piece::Place(place) if find(&place.root, function).is_none());
        self.pieces.iter().filter(is_stranger).count()
    }
}

fn missing(name: &str) -> String {
    format!(
        "`{name}` is in neither `key`, `hash` nor `skip`: write `{{{name}}}` in the template, \
         `hash({name})` or `skip({name})`"
    )
}

fn check_place(
    place: &Place,
    named: &Named,
    function: &Function,
    problems: &mut Problems,
) -> Option<KeyPart> {
    let Some(root) = find(&place.root, function) else {
        problems.at(place.span, unknown("key", &place.root, function));
        return None;
    };
    let role = named.role(&place.root);
    if role == Role::Skip {
        let message = format!("`{}` is both in `key` and in `skip`: choose one", place.root);
        problems.at(place.span, message);
    }
    if role == Role::Key {
        secrets::check_place(place, problems);
    }
    let digest = role == Role::Hash;
    Some(KeyPart::Value { root, members: place.members.clone(), digest })
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
    if name == "_" {
        return format!(
            "give the parameter a name, such as `_pool`, and write `{argument}(_pool)`"
        );
    }
    let receiver = function.receiver.iter().map(|_| "self".to_owned());
    let named = function.parameters.iter().filter(|one| one.is_named);
    let known: Vec<_> = receiver.chain(named.map(|one| one.name.unraw().to_string())).collect();
    let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
    format!(
        "`{argument}` names no parameter of `{}`: found `{name}`, known: {known}",
        function.name.unraw()
    )
}
