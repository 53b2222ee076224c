//! The attribute's arguments: each at most once, all mistakes reported together.

mod identity;
mod values;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Ident, LitStr, Path, Result};

use crate::duration::Time;
use crate::problems::Problems;
use crate::template::Template;

use identity::identity;
use values::{
    argument_name, cache, choice, comma, count, flag, function, is_like, list, none, number, path,
    skip_past_comma, text,
};
use values::{value, version};

const KNOWN: &str = "ttl, ttl_from, none, strategy, beta, jitter, grace, stale_if_error, reason, \
                     key, skip, hash, plain, name, version, lease, wait, timeout, concurrency, \
                     detach, refresh, share_errors, cache, scope, codec, crate";

/// What stands between the parentheses of `#[cached(..)]`.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) ttl: Option<Given<Time>>,
    pub(crate) ttl_from: Option<Given<Expr>>,
    pub(crate) none: Option<Given<Nones>>,
    pub(crate) strategy: Option<Given<Strategy>>,
    pub(crate) beta: Option<Given<f64>>,
    pub(crate) jitter: Option<Given<Time>>,
    pub(crate) grace: Option<Given<Time>>,
    pub(crate) stale_if_error: Option<Given<Time>>,
    pub(crate) reason: Option<Given<LitStr>>,
    pub(crate) key: Option<Given<Template>>,
    pub(crate) skip: Option<Given<Vec<Ident>>>,
    pub(crate) hash: Option<Given<Vec<Ident>>>,
    pub(crate) plain: Option<Given<Vec<Ident>>>,
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) version: Option<Given<u32>>,
    pub(crate) lease: Option<Given<Time>>,
    pub(crate) wait: Option<Given<Time>>,
    pub(crate) timeout: Option<Given<Time>>,
    pub(crate) concurrency: Option<Given<Expr>>,
    pub(crate) detach: Option<Given<bool>>,
    pub(crate) refresh: Option<Given<Refresh>>,
    pub(crate) share_errors: Option<Given<bool>>,
    pub(crate) cache: Option<Given<CacheChoice>>,
    pub(crate) scope: Option<Given<Scope>>,
    pub(crate) codec: Option<Given<Codec>>,
    pub(crate) facade: Option<Given<Path>>,
    /// Written by this crate: the function's other attributes have had their turn.
    pub(crate) last: bool,
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
    Postcard,
    MessagePack,
}

/// What becomes of a `None`.
#[derive(Clone)]
pub(crate) enum Nones {
    Skip,
    For(Time),
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
const CODECS: &[(&str, Codec)] = &[
    ("bincode", Codec::Bincode),
    ("json", Codec::Json),
    ("postcard", Codec::Postcard),
    ("messagepack", Codec::MessagePack),
];

/// The argument by which this crate tells itself that it has put the attribute last.
pub(crate) const LAST: &str = "__last";

impl Args {
    /// Takes one argument whose name has been read.
    fn take(&mut self, name: &Ident, input: ParseStream<'_>) -> Result<()> {
        match name.unraw().to_string().as_str() {
            "ttl" => value(&mut self.ttl, name, input, Time::parse),
            "ttl_from" => value(&mut self.ttl_from, name, input, function),
            "none" => value(&mut self.none, name, input, none),
            "strategy" => value(&mut self.strategy, name, input, |i| choice(i, STRATEGIES)),
            "beta" => value(&mut self.beta, name, input, number),
            "jitter" => value(&mut self.jitter, name, input, Time::parse),
            "grace" => value(&mut self.grace, name, input, Time::parse),
            "stale_if_error" => value(&mut self.stale_if_error, name, input, Time::parse),
            "reason" => value(&mut self.reason, name, input, text),
            "key" => value(&mut self.key, name, input, Template::parse),
            "skip" => list(&mut self.skip, name, input),
            "hash" => list(&mut self.hash, name, input),
            "plain" => list(&mut self.plain, name, input),
            "name" => value(&mut self.name, name, input, identity),
            "version" => value(&mut self.version, name, input, version),
            "lease" => value(&mut self.lease, name, input, Time::parse),
            "wait" => value(&mut self.wait, name, input, Time::parse),
            "timeout" => value(&mut self.timeout, name, input, Time::parse),
            "concurrency" => value(&mut self.concurrency, name, input, count),
            "detach" => flag(&mut self.detach, name, input),
            "refresh" => value(&mut self.refresh, name, input, |i| choice(i, REFRESHES)),
            "share_errors" => flag(&mut self.share_errors, name, input),
            "cache" => value(&mut self.cache, name, input, cache),
            "scope" => value(&mut self.scope, name, input, |i| choice(i, SCOPES)),
            "codec" => value(&mut self.codec, name, input, |i| choice(i, CODECS)),
            "crate" => value(&mut self.facade, name, input, path),
            LAST => {
                self.last = true;
                Ok(())
            }
            word => {
                let meant = STRATEGIES.iter().any(|(strategy, _)| *strategy == word);
                let meant = meant.then(|| format!("write `strategy = \"{word}\"`; "));
                let meant = meant.unwrap_or_else(|| {
                    let guess = KNOWN.split(", ").find(|known| is_like(known, word));
                    guess.map_or_else(String::new, |known| format!("did you mean `{known}`? "))
                });
                let message = format!("unknown argument `{name}`: {meant}known are {KNOWN}");
                Err(Error::new(name.span(), message))
            }
        }
    }
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut args = Self::default();
        let mut problems = Problems::default();
        while !input.is_empty() {
            let taken = argument_name(input).and_then(|name| args.take(&name, input));
            if problems.keep(taken.and_then(|()| comma(input))).is_none() {
                skip_past_comma(input)?;
            }
        }
        args.mistakes = problems.finish(()).err();
        Ok(args)
    }
}
