//! The attribute's arguments: each at most once, all mistakes reported together.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitBool, LitInt, LitStr, Path, Result, Token};

use crate::duration::Time;
use crate::problems::Problems;
use crate::template::Template;

const KNOWN: &str = "ttl, strategy, beta, jitter, grace, stale_if_error, reason, key, skip, name, \
                     version, lease, wait, detach, refresh, share_errors, cache, scope, codec, crate";

/// What stands between the parentheses of `#[cached(..)]`.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) ttl: Option<Given<Time>>,
    pub(crate) strategy: Option<Given<Strategy>>,
    pub(crate) beta: Option<Given<f64>>,
    pub(crate) jitter: Option<Given<Time>>,
    pub(crate) grace: Option<Given<Time>>,
    pub(crate) stale_if_error: Option<Given<Time>>,
    pub(crate) reason: Option<Given<LitStr>>,
    pub(crate) key: Option<Given<Template>>,
    pub(crate) skip: Option<Given<Vec<Ident>>>,
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) version: Option<Given<u32>>,
    pub(crate) lease: Option<Given<Time>>,
    pub(crate) wait: Option<Given<Time>>,
    pub(crate) detach: Option<Given<bool>>,
    pub(crate) refresh: Option<Given<Refresh>>,
    pub(crate) share_errors: Option<Given<bool>>,
    pub(crate) cache: Option<Given<CacheChoice>>,
    pub(crate) scope: Option<Given<Scope>>,
    pub(crate) codec: Option<Given<Codec>>,
    pub(crate) facade: Option<Given<Path>>,
    /// What was not understood. The rest is kept, for the function beside the messages.
    pub(crate) mistakes: Option<Error>,
}

/// A value together with the places a message may point at.
pub(crate) struct Given<T> {
    /// The argument's name.
    pub(crate) name: Span,
    /// The first token of its value.
    pub(crate) span: Span,
    pub(crate) value: T,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Strategy {
    Lock,
    Xfetch,
    Ahead,
    Swr,
    Jitter,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Refresh {
    Background,
    Inline,
}

#[derive(Clone, Copy)]
pub(crate) enum Scope {
    Process,
}

#[derive(Clone, Copy)]
pub(crate) enum Codec {
    Bincode,
    Json,
}

pub(crate) enum CacheChoice {
    Named(LitStr),
    On(Box<Expr>),
}

const STRATEGIES: &[(&str, Strategy)] = &[
    ("lock", Strategy::Lock),
    ("xfetch", Strategy::Xfetch),
    ("ahead", Strategy::Ahead),
    ("swr", Strategy::Swr),
    ("jitter", Strategy::Jitter),
];
const REFRESHES: &[(&str, Refresh)] =
    &[("background", Refresh::Background), ("inline", Refresh::Inline)];
const SCOPES: &[(&str, Scope)] = &[("process", Scope::Process)];
const CODECS: &[(&str, Codec)] = &[("bincode", Codec::Bincode), ("json", Codec::Json)];

impl Args {
    /// Takes one argument whose name has been read.
    fn take(&mut self, name: &Ident, input: ParseStream<'_>) -> Result<()> {
        match name.unraw().to_string().as_str() {
            "ttl" => value(&mut self.ttl, name, input, Time::parse),
            "strategy" => value(&mut self.strategy, name, input, |i| choice(i, STRATEGIES)),
            "beta" => value(&mut self.beta, name, input, number),
            "jitter" => value(&mut self.jitter, name, input, Time::parse),
            "grace" => value(&mut self.grace, name, input, Time::parse),
            "stale_if_error" => value(&mut self.stale_if_error, name, input, Time::parse),
            "reason" => value(&mut self.reason, name, input, text),
            "key" => value(&mut self.key, name, input, Template::parse),
            "skip" => list(&mut self.skip, name, input),
            "name" => value(&mut self.name, name, input, text),
            "version" => value(&mut self.version, name, input, version),
            "lease" => value(&mut self.lease, name, input, Time::parse),
            "wait" => value(&mut self.wait, name, input, Time::parse),
            "detach" => flag(&mut self.detach, name, input),
            "refresh" => value(&mut self.refresh, name, input, |i| choice(i, REFRESHES)),
            "share_errors" => flag(&mut self.share_errors, name, input),
            "cache" => value(&mut self.cache, name, input, cache),
            "scope" => value(&mut self.scope, name, input, |i| choice(i, SCOPES)),
            "codec" => value(&mut self.codec, name, input, |i| choice(i, CODECS)),
            "crate" => value(&mut self.facade, name, input, Path::parse_mod_style),
            _ => Err(Error::new(
                name.span(),
                format!("unknown argument `{name}`: known are {KNOWN}"),
            )),
        }
    }
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut args = Self::default();
        let mut problems = Problems::default();
        while !input.is_empty() {
            let taken = input.call(Ident::parse_any).and_then(|name| args.take(&name, input));
            if problems.keep(taken.and_then(|()| comma(input))).is_none() {
                skip_past_comma(input)?;
            }
        }
        args.mistakes = problems.finish(()).err();
        Ok(args)
    }
}

fn comma(input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    Err(input.error("expected `,` before the next argument"))
}

/// Goes on after the argument that was not understood.
fn skip_past_comma(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// `name = value`.
fn value<T>(
    slot: &mut Option<Given<T>>,
    name: &Ident,
    input: ParseStream<'_>,
    parse: impl FnOnce(ParseStream<'_>) -> Result<T>,
) -> Result<()> {
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return Err(Error::new(name.span(), format!("`{name}` needs a value: `{name} = ..`")));
    }
    let span = input.span();
    let value = parse(input)?;
    once(slot, name, Given { name: name.span(), span, value })
}

/// `name` or `name = true`.
fn flag(slot: &mut Option<Given<bool>>, name: &Ident, input: ParseStream<'_>) -> Result<()> {
    if input.peek(Token![=]) {
        return value(slot, name, input, |input| Ok(input.parse::<LitBool>()?.value));
    }
    once(slot, name, Given { name: name.span(), span: name.span(), value: true })
}

/// `name(a, b)`.
fn list(slot: &mut Option<Given<Vec<Ident>>>, name: &Ident, input: ParseStream<'_>) -> Result<()> {
    if !input.peek(syn::token::Paren) {
        let message = format!("`{name}` needs a list of parameters: `{name}(pool)`");
        return Err(Error::new(name.span(), message));
    }
    let (inside, span);
    syn::parenthesized!(inside in input);
    span = inside.span();
    let names = Punctuated::<Ident, Token![,]>::parse_terminated_with(&inside, Ident::parse_any)?;
    once(slot, name, Given { name: name.span(), span, value: names.into_iter().collect() })
}

fn once<T>(slot: &mut Option<Given<T>>, name: &Ident, given: Given<T>) -> Result<()> {
    if slot.is_some() {
        return Err(Error::new(name.span(), format!("`{name}` is given twice")));
    }
    *slot = Some(given);
    Ok(())
}

/// One of a few words, written as text.
fn choice<T: Copy>(input: ParseStream<'_>, known: &[(&str, T)]) -> Result<T> {
    let word: LitStr = input.parse()?;
    let found = known.iter().find(|(name, _)| *name == word.value());
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
        Error::new(word.span(), format!("unknown {:?}: write {}", word.value(), names.join(", ")))
    })
}

/// Text that says something.
fn text(input: ParseStream<'_>) -> Result<LitStr> {
    let text: LitStr = input.parse()?;
    if text.value().trim().is_empty() {
        return Err(Error::new(text.span(), "this text is empty"));
    }
    Ok(text)
}

fn number(input: ParseStream<'_>) -> Result<f64> {
    let wanted = "beta must be a finite number greater than zero, such as 1.0";
    let expression: Expr = input.parse()?;
    let parsed: Option<f64> = match &expression {
        Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => float.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
    };
    parsed
        .filter(|beta| beta.is_finite() && *beta > 0.0)
        .ok_or_else(|| Error::new_spanned(&expression, wanted))
}

fn version(input: ParseStream<'_>) -> Result<u32> {
    let wanted = "version must be a whole number, such as 2";
    let literal: LitInt = input.parse().map_err(|error| Error::new(error.span(), wanted))?;
    literal.base10_parse().map_err(|_| Error::new(literal.span(), wanted))
}

fn cache(input: ParseStream<'_>) -> Result<CacheChoice> {
    match input.parse()? {
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) => Ok(CacheChoice::Named(name)),
        expression => Ok(CacheChoice::On(Box::new(expression))),
    }
}
