//! Settings given by expressions: where they can be evaluated, and what they may not use.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;

use super::{Policy, free};
use crate::args::{Args, Nones};
use crate::duration::Time;
use crate::problems::Problems;
use crate::signature::Function;

impl Policy {
    /// The settings that are no literals.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = (&'static str, &Expr)> {
        let none = match &self.none {
            Some(Nones::For(life)) => Some(life),
            _ => None,
        };
        let times = [
            ("ttl", Some(&self.ttl)),
            ("jitter", self.jitter.as_ref()),
            ("grace", self.grace.as_ref()),
            ("stale_if_error", self.stale_if_error.as_ref()),
            ("lease", self.lease.as_ref()),
            ("wait", self.wait.as_ref()),
            ("timeout", self.timeout.as_ref()),
            ("none", none),
        ];
        let times = times.into_iter().filter_map(|(name, time)| Some((name, time?.expression()?)));
        let count = self.concurrency.iter().filter(|_| !self.counts_here());
        times.chain(count.map(|count| ("concurrency", count)))
    }

    /// Whether the cap on loads is known now.
    pub(crate) fn counts_here(&self) -> bool {
        matches!(&self.concurrency, Some(Expr::Lit(_)))
    }
}

/// Whether an expression means the same outside the function: no `Self`, and no name that could
/// be a type or const parameter of the function or of an `impl` around it. Where one may be around
/// it, any constant without a path could be one too: its value is then unknown to the audit.
pub(super) fn stands_alone(expression: &Expr, function: &Function, in_impl: bool) -> bool {
    let declared: Vec<_> = function.type_and_const_names().map(ToString::to_string).collect();
    all_heads(expression.to_token_stream(), &mut |name, of_path| {
        let mut letters = name.chars();
        let capital = letters.next().is_some_and(char::is_uppercase);
        let constant = name.len() > 1 && !name.contains(char::is_lowercase) && !of_path;
        let known = name == "Duration" || (constant && !in_impl);
        !declared.iter().any(|one| one == name) && (!capital || known)
    })
}

/// Whether every name that does not follow `::` or `.` passes the test, which also hears whether it
/// stands before `::`.
fn all_heads(tokens: TokenStream, test: &mut impl FnMut(&str, bool) -> bool) -> bool {
    let mut follows = false;
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let head = !std::mem::replace(&mut follows, false);
        let mut of_path =
            || matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        let passes = match tree {
            TokenTree::Ident(name) => !head || test(&name.to_string(), of_path()),
            TokenTree::Group(group) => all_heads(group.stream(), test),
            TokenTree::Punct(punct) => {
                follows = matches!(punct.as_char(), ':' | '.');
                true
            }
            TokenTree::Literal(_) => true,
        };
        if !passes {
            return false;
        }
    }
    true
}

/// A background refresh has no call at hand, so that a setting may not depend on one.
pub(super) fn check(args: &Args, function: &Function, problems: &mut Problems) {
    let Args { ttl, jitter, grace, stale_if_error, lease, wait, timeout, .. } = args;
    let times = [ttl, jitter, grace, stale_if_error, lease, wait, timeout];
    let times = times.into_iter().flatten().map(|given| &given.value);
    let nones = args.none.iter().filter_map(|given| match &given.value {
        Nones::For(time) => Some(time),
        Nones::Skip => None,
    });
    let timed = times.chain(nones).filter_map(Time::expression);
    let others = [&args.ttl_from, &args.concurrency].into_iter().flatten();
    for expression in timed.chain(others.map(|given| &given.value)) {
        for name in free::names(expression).into_iter().filter(|name| function.takes(name)) {
            let message = format!(
                "a setting is evaluated without a call, so it cannot use `{name}`: write a \
                 constant or a function without arguments"
            );
            problems.at(name.span(), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: bool) {
        check_where(false, expression, expected);
    }

    fn check_where(in_impl: bool, expression: &str, expected: bool) {
        let function = syn::parse_str("async fn f<T, const LIMIT: u64>(id: u32) {}").unwrap();
        let parsed = syn::parse_str(expression).unwrap();
        assert_eq!(stands_alone(&parsed, &function, in_impl), expected, "{expression}");
    }

    #[test]
    fn names_that_mean_the_same_everywhere() {
        check("TTL", true);
        check("Duration::from_secs(5) * 2", true);
        check("std::time::Duration::from_millis(FEED_MS)", true);
        check("config().ttl", true);
        check("settings::Feed::ttl()", true);
        check("Self::TTL", false);
        check("T::TTL", false);
        check("DB::TTL", false);
        check("Duration::from_secs(LIMIT)", false);
        check("Item::ttl()", false);
        check("ttl_of::<T>()", false);
        check("<u8 as Limits>::TTL", false);
    }

    #[test]
    fn constants_where_an_impl_may_declare_them() {
        check_where(true, "TTL", false);
        check_where(true, "Duration::from_secs(TTL * 60)", false);
        check_where(true, "self::TTL", true);
        check_where(true, "crate::settings::TTL * 2", true);
        check_where(true, "Duration::from_secs(5)", true);
        check_where(true, "config().ttl", true);
    }
}
