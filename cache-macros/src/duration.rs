//! The one grammar for durations: whole seconds, text with units, or an expression.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Lit, UnOp};

use crate::readable::readable;

const HELP: &str = "write whole seconds (300), text with a unit (\"250ms\", \"5m\", \"1h30m\") \
                    or an expression of type `Duration`";

/// From large to small, with the number of milliseconds in each.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// A duration as the user gave it.
#[derive(Clone)]
pub(crate) enum Time {
    /// Known now, so that rules can be checked now.
    Literal(Duration, Span),
    /// Any other expression: evaluated at run time.
    Expression(Box<Expr>),
}

impl Time {
    /// The value, where it is known now.
    pub(crate) fn literal(&self) -> Option<Duration> {
        match self {
            Self::Literal(duration, _) => Some(*duration),
            Self::Expression(_) => None,
        }
    }

    /// What has to be evaluated at run time.
    pub(crate) fn expression(&self) -> Option<&Expr> {
        match self {
            Self::Literal(..) => None,
            Self::Expression(expression) => Some(expression),
        }
    }

    /// Where the user wrote it.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Literal(_, span) => *span,
            Self::Expression(expression) => expression.span(),
        }
    }
}

impl Parse for Time {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let expression = ungrouped(input.parse()?);
        match &expression {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => {
                let seconds = int.base10_parse().map_err(|_| {
                    Error::new(int.span(), "too many seconds: write `Duration::MAX` for ever")
                })?;
                Ok(Self::Literal(Duration::from_secs(seconds), int.span()))
            }
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => parse_text(&text.value())
                .map(|duration| Self::Literal(duration, text.span()))
                .map_err(|message| Error::new(text.span(), message)),
            Expr::Lit(literal) => {
                Err(Error::new(literal.span(), format!("not a duration: {HELP}")))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                Err(Error::new(unary.span(), "a duration cannot be negative"))
            }
            Expr::Binary(_) if is_arithmetic(&expression) => Err(Error::new_spanned(
                &expression,
                "this is no `Duration`: whole seconds are one number, so write 300, \"5m\" or \
                 `Duration::from_secs(5 * 60)`",
            )),
            _ => Ok(Self::Expression(Box::new(expression))),
        }
    }
}

/// Numbers and nothing else, such as `5 * 60`.
fn is_arithmetic(expression: &Expr) -> bool {
    match expression {
        Expr::Binary(both) => is_arithmetic(&both.left) && is_arithmetic(&both.right),
        Expr::Paren(inside) => is_arithmetic(&inside.expr),
        Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => true,
        _ => false,
    }
}

/// Without the invisible groups that `macro_rules` leaves around a `$ttl:literal` or `$ttl:expr`.
pub(crate) fn ungrouped(expression: Expr) -> Expr {
    match expression {
        Expr::Group(group) => ungrouped(*group.expr),
        other => other,
    }
}

/// An expression of type `Duration`, among the names of the wrapper.
impl ToTokens for Time {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Expression(expression) => expression.to_tokens(tokens),
            Self::Literal(duration, _) if duration.subsec_millis() == 0 => {
                let seconds = proc_macro2::Literal::u64_unsuffixed(duration.as_secs());
                tokens.extend(quote!(__herdless::Duration::from_secs(#seconds)));
            }
            Self::Literal(duration, _) => {
                let millis = proc_macro2::Literal::u128_unsuffixed(duration.as_millis());
                tokens.extend(quote!(__herdless::Duration::from_millis(#millis)));
            }
        }
    }
}

/// For people: `300 s`, `250 ms`, or the expression as code.
impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Expression(expression) => {
                write!(f, "`{}`", readable(expression))
            }
            Self::Literal(duration, _) => f.write_str(&in_words(*duration)),
        }
    }
}

/// `300 s` or `250 ms`.
pub(crate) fn in_words(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{} s", duration.as_secs()),
        _ => format!("{} ms", duration.as_millis()),
    }
}

/// Parses `"1h30m"`: numbers with units, from large to small, each unit once.
fn parse_text(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    let mut millis: u64 = 0;
    let mut allowed = &UNITS[..];
    if rest.is_empty() {
        return Err(format!("an empty duration: {HELP}"));
    }
    while !rest.is_empty() {
        let (digits, after) = split_at(rest, |c| !c.is_ascii_digit());
        let (unit, after) = split_at(after, |c| c.is_ascii_digit());
        let (position, factor) = find_unit(allowed, text, digits, unit.trim_end())?;
        allowed = &allowed[position + 1..];
        rest = after;
        millis = digits
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(factor)?.checked_add(millis))
            .ok_or_else(|| format!("\"{text}\" is too long for a duration"))?;
    }
    Ok(Duration::from_millis(millis))
}

/// Cuts the text before the first character that belongs to the other part.
fn split_at(text: &str, other: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(other).unwrap_or(text.len()))
}

fn find_unit(
    allowed: &[(&str, u64)],
    text: &str,
    digits: &str,
    unit: &str,
) -> Result<(usize, u64), String> {
    let known = |(name, _): &(&str, u64)| *name == unit;
    if digits.is_empty() {
        return Err(format!("\"{text}\" is not a duration: {HELP}"));
    }
    if unit.is_empty() {
        return Err(format!(
            "`{digits}` in \"{text}\" has no unit: write {digits} or \"{digits}s\""
        ));
    }
    match allowed.iter().position(known) {
        Some(position) => Ok((position, allowed[position].1)),
        None if UNITS.iter().any(known) => {
            Err(format!("\"{text}\" must go from large units to small ones, each once"))
        }
        None => Err(format!("unknown unit `{unit}` in \"{text}\": known are d, h, m, s, ms")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        let shown = match syn::parse_str::<Time>(input) {
            Ok(time @ Time::Literal(..)) => time.to_string(),
            Ok(time) => format!("expression {time}"),
            Err(error) => format!("refused: {error}"),
        };
        assert!(shown.starts_with(expected), "{input}: {shown}");
    }

    #[test]
    fn grammar() {
        check("300", "300 s");
        check("0", "0 s");
        check("1_000", "1000 s");
        check("\"250ms\"", "250 ms");
        check("\"1500ms\"", "1500 ms");
        check("\"5m\"", "300 s");
        check("\"1h30m\"", "5400 s");
        check("\"2d\"", "172800 s");
        check("\"1h 5s 20ms\"", "3605020 ms");
        check("TTL", "expression `TTL`");
        check("Duration::from_secs(5)", "expression `Duration::from_secs(5)`");
        check("Self::TTL * 2", "expression `Self::TTL * 2`");
    }

    #[test]
    fn refusals() {
        check("\"\"", "refused: an empty duration: write whole seconds");
        check("\"300\"", "refused: `300` in \"300\" has no unit: write 300 or \"300s\"");
        check("\"5min\"", "refused: unknown unit `min` in \"5min\": known are d, h, m, s, ms");
        check("\"30m1h\"", "refused: \"30m1h\" must go from large units to small ones, each once");
        check("\"5m5m\"", "refused: \"5m5m\" must go from large units");
        check("\"soon\"", "refused: \"soon\" is not a duration");
        check("\"-5s\"", "refused: \"-5s\" is not a duration");
        check("\"1.5s\"", "refused: unknown unit `.`");
        check("\"99999999999999999999s\"", "refused: \"99999999999999999999s\" is too long");
        check("\"9999999999999999d\"", "refused: \"9999999999999999d\" is too long");
        check("-1", "refused: a duration cannot be negative");
        check("1.5", "refused: not a duration");
        check("5 * (60 + 1)", "refused: this is no `Duration`: whole seconds are one number");
        check("300u64", "refused: not a duration");
    }
}
