//! How the arguments' values are read.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitBool, LitInt, LitStr, Path, Result, Token};

use super::{CacheChoice, Given, Nones};
use crate::duration::{Time, ungrouped};

pub(super) fn comma(input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    Err(input.error("expected `,` before the next argument"))
}

/// What an argument begins with.
pub(super) fn argument_name(input: ParseStream<'_>) -> Result<Ident> {
    if let Ok(literal) = input.fork().parse::<Lit>() {
        let message = match &literal {
            Lit::Int(_) | Lit::Str(_) => {
                format!("a value without a name: write `ttl = {}`", literal.to_token_stream())
            }
            _ => "a value without a name: write `name = ..`".to_owned(),
        };
        return Err(Error::new(literal.span(), message));
    }
    input.call(Ident::parse_any)
}

/// Text, said as such where it is missing: `example` shows how it is written.
pub(super) fn quoted(input: ParseStream<'_>, example: &str) -> Result<LitStr> {
    input.parse().map_err(|error: Error| {
        Error::new(error.span(), format!("this is no text: write {example}"))
    })
}

/// Goes on after the argument that was not understood.
pub(super) fn skip_past_comma(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// `name = value`.
pub(super) fn value<T>(
    slot: &mut Option<Given<T>>,
    name: &Ident,
    input: ParseStream<'_>,
    parse: impl FnOnce(ParseStream<'_>) -> Result<T>,
) -> Result<()> {
    if input.peek(Token![=>]) || input.parse::<Option<Token![=]>>()?.is_none() {
        return Err(Error::new(name.span(), format!("`{name}` needs a value: `{name} = ..`")));
    }
    let span = input.span();
    let value = parse(input)?;
    once(slot, name, Given { name: name.span(), span, value })
}

/// `name` or `name = true`.
pub(super) fn flag(
    slot: &mut Option<Given<bool>>,
    name: &Ident,
    input: ParseStream<'_>,
) -> Result<()> {
    if input.peek(Token![=]) {
        let wanted = || format!("write `{name}`, `{name} = true` or `{name} = false`");
        let parse = |input: ParseStream<'_>| match input.parse::<LitBool>() {
            Ok(literal) => Ok(literal.value),
            Err(error) => Err(Error::new(error.span(), wanted())),
        };
        return value(slot, name, input, parse);
    }
    once(slot, name, Given { name: name.span(), span: name.span(), value: true })
}

/// `name(a, b)`.
pub(super) fn list(
    slot: &mut Option<Given<Vec<Ident>>>,
    name: &Ident,
    input: ParseStream<'_>,
) -> Result<()> {
    if !input.peek(syn::token::Paren) {
        let message = format!("`{name}` needs a list of parameters: `{name}(pool)`");
        return Err(Error::new(name.span(), message));
    }
    let (inside, span);
    syn::parenthesized!(inside in input);
    span = inside.span();
    let names = Punctuated::<Ident, Token![,]>::parse_terminated_with(&inside, bare_name);
    inside.parse::<TokenStream>()?; // what is left would be told as well
    let names = names.map_err(|error| {
        let message =
            format!("`{name}` takes names of parameters and nothing else: `{name}(pool)`");
        Error::new(error.span(), message)
    })?;
    once(slot, name, Given { name: name.span(), span, value: names.into_iter().collect() })
}

fn bare_name(input: ParseStream<'_>) -> Result<Ident> {
    let name = input.call(Ident::parse_any)?;
    if input.is_empty() || input.peek(Token![,]) { Ok(name) } else { Err(input.error("`,`")) }
}

fn once<T>(slot: &mut Option<Given<T>>, name: &Ident, given: Given<T>) -> Result<()> {
    if slot.is_some() {
        return Err(Error::new(name.span(), format!("`{name}` is given twice")));
    }
    *slot = Some(given);
    Ok(())
}

/// One of a few words, written as text.
pub(super) fn choice<T: Copy>(input: ParseStream<'_>, known: &[(&str, T)]) -> Result<T> {
    let names: Vec<_> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
    let names = names.join(", ");
    let word = quoted(input, &names)?;
    let found = known.iter().find(|(name, _)| *name == word.value());
    found.map(|(_, value)| *value).ok_or_else(|| {
        Error::new(word.span(), format!("unknown {:?}: write {names}", word.value()))
    })
}

/// Text that says something.
pub(super) fn text(input: ParseStream<'_>) -> Result<LitStr> {
    let text = quoted(input, "it in quotes: \"..\"")?;
    if text.value().trim().is_empty() {
        return Err(Error::new(text.span(), "this text is empty"));
    }
    Ok(text)
}

pub(super) fn number(input: ParseStream<'_>) -> Result<f64> {
    let wanted = "beta must be a finite number greater than zero, such as 1.0";
    let expression = ungrouped(input.parse()?);
    let parsed: Option<f64> = match &expression {
        Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => float.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
    };
    parsed
        .filter(|beta| beta.is_finite() && *beta > 0.0)
        .ok_or_else(|| Error::new_spanned(&expression, wanted))
}

pub(super) fn version(input: ParseStream<'_>) -> Result<u32> {
    let wanted = "version must be a whole number, such as 2";
    let is_negative = input.peek(Token![-]);
    let literal: LitInt = input.parse().map_err(|error| Error::new(error.span(), wanted))?;
    literal.base10_parse().map_err(|_| {
        let message = match is_negative {
            true => wanted.to_owned(),
            false => format!("version must be at most {}", u32::MAX),
        };
        Error::new(literal.span(), message)
    })
}

pub(super) fn cache(input: ParseStream<'_>) -> Result<CacheChoice> {
    match ungrouped(input.parse()?) {
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) if name.value().is_empty() => {
            Err(Error::new(name.span(), "this text is empty"))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) => Ok(CacheChoice::Named(name)),
        expression => Ok(CacheChoice::On(Box::new(expression))),
    }
}

pub(super) fn none(input: ParseStream<'_>) -> Result<Nones> {
    if let Ok(word) = input.fork().parse::<Ident>()
        && word == "skip"
    {
        return Err(Error::new(word.span(), "write `none = \"skip\"`"));
    }
    let is_skip = |text: &LitStr| text.value() == "skip";
    if input.fork().parse().is_ok_and(|text| is_skip(&text)) {
        input.parse::<LitStr>()?;
        return Ok(Nones::Skip);
    }
    let time: Time = input.parse().map_err(|error| {
        Error::new(error.span(), format!("write \"skip\" or how long a `None` lives: {error}"))
    })?;
    match time.literal() {
        Some(life) if life.is_zero() => Err(Error::new(
            time.span(),
            "a `None` that lives no time is not stored: write \"skip\"",
        )),
        _ => Ok(Nones::For(time)),
    }
}

/// A function or a closure.
pub(super) fn function(input: ParseStream<'_>) -> Result<Expr> {
    match ungrouped(input.parse()?) {
        Expr::Lit(literal) => {
            Err(Error::new_spanned(&literal, "write a function or a closure, without quotes"))
        }
        expression => Ok(expression),
    }
}

/// The path of this crate.
pub(super) fn path(input: ParseStream<'_>) -> Result<Path> {
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let message = format!("write the path without quotes: `crate = {}`", text.value());
        return Err(Error::new(text.span(), message));
    }
    input.call(Path::parse_mod_style)
}

/// A number of things: a literal above zero, or an expression of type `usize`.
pub(super) fn count(input: ParseStream<'_>) -> Result<Expr> {
    let wanted = "concurrency must be a whole number above zero, such as 8";
    let expression = ungrouped(input.parse()?);
    match &expression {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => match int.base10_parse::<usize>() {
            Ok(number) if number > 0 => Ok(expression),
            _ => Err(Error::new(int.span(), wanted)),
        },
        Expr::Lit(_) | Expr::Unary(_) => Err(Error::new_spanned(&expression, wanted)),
        _ => Ok(expression),
    }
}

/// Whether one of two words may be meant by the other: the same but for case, a letter too many, one
/// missing, or one that is another.
pub(super) fn is_like(known: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    let differs = |(one, other): (char, char)| one != other;
    let shared = known.chars().zip(word.chars()).take_while(|&pair| !differs(pair)).count();
    let (left, right) = (&known[shared..], &word.chars().skip(shared).collect::<String>()[..]);
    let without_first = |text: &str| text.chars().skip(1).collect::<String>();
    left == right
        || without_first(left) == right
        || left == without_first(right)
        || (shared > 0 && without_first(left) == without_first(right))
}
