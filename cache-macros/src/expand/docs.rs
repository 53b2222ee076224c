//! One or two lines for readers of the documentation and of the expansion.

use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, parse_quote};

use super::lifted_attributes;
use crate::args::{Nones, Strategy};
use crate::duration::{Time, in_words};
use crate::model::{Form, Model, Policy};
use crate::readable::readable;

/// The attributes of the public function, with a description after the first paragraph of its
/// documentation.
pub(super) fn with_description(model: &Model) -> Vec<Attribute> {
    let function = &model.function;
    let mut attributes = function.attributes.clone();
    attributes.extend(lifted_attributes(model));
    let lines = attributes.iter().enumerate().filter_map(|(at, one)| Some((at, text(one)?)));
    let lines: Vec<_> = lines.collect();
    let paragraph_end = lines.iter().find(|(_, line)| line.trim().is_empty());
    let in_code = |end: usize| lines.iter().any(|(at, line)| *at < end && line.contains("```"));
    let place = match (paragraph_end, lines.last()) {
        (Some((at, _)), _) if !in_code(*at) => *at,
        (_, Some((at, _))) => at + 1,
        (_, None) => attributes.len(),
    };
    let blank: Option<Attribute> = lines.first().map(|_| parse_quote!(#[doc = ""]));
    let description = describe(model).map(|line| parse_quote!(#[doc = #line]));
    attributes.splice(place..place, blank.into_iter().chain(description));
    attributes
}

fn text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn describe(model: &Model) -> [String; 2] {
    let policy = &model.policy;
    let jitter = policy.jitter.as_ref().map(|span| format!(" ± {span}{}", floor(policy)));
    let from = model.ttl_from.as_ref().map(|from| format!(" at most, by `{}`", readable(from)));
    let life = [jitter, from].into_iter().flatten().collect::<String>();
    let output = readable(&model.function.output);
    let path = || format!("..::{}", model.function.name.unraw());
    let name = model.name.as_ref().map_or_else(path, LitStr::value);
    let key = format!("{name}:v{}({})", model.version.unwrap_or(1), model.key.shown);
    [
        format!(
            " Cached: key `{key}`, ttl {}{life}, strategy {}. Returns `{output}` when awaited.",
            policy.ttl,
            strategy(model)
        ),
        format!(
            " {}. {}. Stored: the `Ok` value, or the whole of what is no `Result`; never an error{}.",
            waiting(model),
            leaving(model),
            nones(model)
        ),
    ]
}

/// What a drawn life has at least, where that is not simply ttl − jitter.
fn floor(policy: &Policy) -> String {
    let literal = |time: &Time| time.literal();
    let known = literal(&policy.ttl).zip(policy.jitter.as_ref().and_then(literal));
    match known {
        None => ", at least a tenth of the ttl".to_owned(),
        Some((ttl, jitter)) if ttl.saturating_sub(jitter) < ttl / 10 => {
            format!(", at least {}", in_words(ttl / 10))
        }
        Some(_) => String::new(),
    }
}

fn strategy(model: &Model) -> String {
    match model.policy.strategy {
        Strategy::Lock => "lock".to_owned(),
        Strategy::Xfetch => format!("xfetch (beta {})", model.policy.beta),
        Strategy::Ahead => "ahead".to_owned(),
        Strategy::Swr => "swr".to_owned(),
        Strategy::Jitter => "jitter".to_owned(),
    }
}

/// Who loads and who waits.
fn waiting(model: &Model) -> String {
    let policy = &model.policy;
    let mut text = match policy.strategy {
        Strategy::Jitter => "On a miss one caller of each process loads, its others wait for it",
        _ if model.in_process => {
            "On a miss one caller loads, the others wait for it; the value never leaves the process"
        }
        _ => {
            "On a miss one caller of all processes (of this one, if no store) loads, the others \
             wait for it"
        }
    }
    .to_owned();
    text += &match &policy.wait {
        Some(wait) => format!(", {wait} at most, then one of them loads too"),
        None => {
            ", 30 s at most unless the cache says otherwise, then one of them loads too".to_owned()
        }
    };
    if matches!(policy.strategy, Strategy::Xfetch | Strategy::Ahead) {
        text += &format!("; shortly before the end one reader refreshes {}", behind(model));
    }
    if let Some(grace) = &policy.grace {
        let behind = behind(model);
        text += &format!(
            "; for {grace} after the end readers get the old value while one refreshes {behind}"
        );
    }
    if policy.grace.is_none() && policy.stale_if_error.is_none() {
        text += "; a value is never served after its end";
    }
    if let Some(timeout) = &policy.timeout {
        text += &format!("; a load that takes longer than {timeout} fails");
    }
    if let Some(stale) = &policy.stale_if_error {
        text += &format!("; when the load fails, the last value stands in for {stale}");
    }
    text
}

/// What becomes of a `None`.
fn nones(model: &Model) -> String {
    match &model.policy.none {
        None => String::new(),
        Some(Nones::Skip) => ", never a `None`".to_owned(),
        Some(Nones::For(life)) => format!("; a `None` for {life} only"),
    }
}

/// Where a refresh runs.
fn behind(model: &Model) -> &'static str {
    match model.form {
        _ if model.policy.inline_refresh => "and waits for it",
        Form::Movable { demanded: true } | Form::Lent => "in the background",
        Form::Movable { demanded: false } => "in the background if the load is `Send`",
        Form::Nested | Form::InPlace => "and waits for it",
    }
}

/// What becomes of a load whose caller leaves.
fn leaving(model: &Model) -> &'static str {
    match model.form {
        _ if model.policy.inline_load => "A load ends with its caller and the next one starts over",
        Form::Movable { demanded: true } | Form::Lent => "A load outlives its caller",
        Form::Movable { demanded: false } => "A load outlives its caller if it is `Send`",
        Form::Nested | Form::InPlace => "A load ends with its caller and the next one starts over",
    }
}
