//! Times and strategy: which combinations make sense.

mod expressions;
mod free;

use std::time::Duration;

use proc_macro2::Span;
use syn::Expr;

use crate::args::{Args, Codec, Given, Nones, Refresh, Strategy};
use crate::duration::{Time, in_words};
use crate::problems::Problems;
use crate::signature::Function;

const SHORTEST_LEASE: Duration = Duration::from_millis(100);

/// What was agreed.
pub(crate) struct Policy {
    pub(crate) ttl: Time,
    pub(crate) strategy: Strategy,
    /// Finite and above zero; only xfetch reads it.
    pub(crate) beta: f64,
    pub(crate) jitter: Option<Time>,
    pub(crate) grace: Option<Time>,
    pub(crate) stale_if_error: Option<Time>,
    pub(crate) lease: Option<Time>,
    pub(crate) wait: Option<Time>,
    pub(crate) timeout: Option<Time>,
    pub(crate) none: Option<Nones>,
    pub(crate) concurrency: Option<Expr>,
    pub(crate) codec: Option<Codec>,
    pub(crate) inline_refresh: bool,
    pub(crate) inline_load: bool,
    /// Some expression can be evaluated by the function only.
    pub(crate) in_place: bool,
}

/// Checks the arguments against one another; `None` only with a problem noted. `in_impl`: what an
/// `impl` declares may be in scope.
pub(crate) fn check(
    args: &Args,
    function: &Function,
    in_impl: bool,
    problems: &mut Problems,
) -> Option<Policy> {
    let strategy = args.strategy.as_ref().map_or(Strategy::Lock, |given| given.value);
    expressions::check(args, function, problems);
    check_ttl(args, problems);
    check_lease(args, problems);
    check_timeout(args, problems);
    check_zeros(args, problems);
    check_codec(args, problems);
    check_beta(args, strategy, problems);
    check_strategy(args, strategy, problems);
    check_reason(args, strategy, problems);
    let value = |given: &Option<Given<Time>>| given.as_ref().map(|given| given.value.clone());
    let policy = Policy {
        ttl: value(&args.ttl)?,
        strategy,
        beta: args.beta.as_ref().map_or(1.0, |given| given.value),
        jitter: value(&args.jitter),
        grace: value(&args.grace),
        stale_if_error: value(&args.stale_if_error),
        lease: value(&args.lease),
        wait: value(&args.wait),
        timeout: value(&args.timeout),
        none: args.none.as_ref().map(|given| given.value.clone()),
        concurrency: args.concurrency.as_ref().map(|given| given.value.clone()),
        codec: args.codec.as_ref().map(|given| given.value),
        inline_refresh: args.refresh.as_ref().is_some_and(|given| given.value == Refresh::Inline),
        inline_load: args.detach.as_ref().is_some_and(|given| !given.value),
        in_place: false,
    };
    let stands_alone = |(_, one)| expressions::stands_alone(one, function, in_impl);
    let in_place = !policy.expressions().all(stands_alone);
    Some(Policy { in_place, ..policy })
}

fn check_ttl(args: &Args, problems: &mut Problems) {
    let Some(ttl) = &args.ttl else {
        let message = "`ttl` is missing: say how long a value stays fresh, such as `ttl = 300` or \
                       `ttl = \"5m\"`";
        return problems.at(Span::call_site(), message);
    };
    if ttl.value.literal() == Some(Duration::ZERO) {
        let message = "`ttl` is zero, so nothing would be stored: write a longer one, such as 300";
        problems.at(ttl.value.span(), message);
    }
    let most = ttl.value.literal();
    if let Some(jitter) = &args.jitter
        && let (Some(long), Some(most)) = (jitter.value.literal(), most)
        && long > most
    {
        let (long, most) = (in_words(long), in_words(most));
        let message = format!("`jitter` of {long} is longer than `ttl`: write at most {most}");
        problems.at(jitter.span, message);
    }
}

fn check_lease(args: &Args, problems: &mut Problems) {
    let Some(lease) = &args.lease else { return };
    if let Some(short) = lease.value.literal().filter(|literal| *literal < SHORTEST_LEASE) {
        let message =
            format!("`lease` of {} is too short: write at least \"100ms\"", in_words(short));
        problems.at(lease.span, message);
    }
}

fn check_timeout(args: &Args, problems: &mut Problems) {
    let Some(timeout) = &args.timeout else { return };
    if timeout.value.literal() == Some(Duration::ZERO) {
        problems.at(timeout.span, "a `timeout` of zero lets no load end: write a longer one");
    }
}

/// A zero means what leaving it out means.
fn check_zeros(args: &Args, problems: &mut Problems) {
    let spans = [
        ("grace", &args.grace),
        ("stale_if_error", &args.stale_if_error),
        ("jitter", &args.jitter),
        ("wait", &args.wait),
    ];
    for (name, given) in spans {
        let zero = |given: &&Given<Time>| given.value.literal() == Some(Duration::ZERO);
        if let Some(given) = given.as_ref().filter(zero) {
            let message = format!("`{name}` is zero: write for how long, or leave it out");
            problems.at(given.value.span(), message);
        }
    }
}

fn check_codec(args: &Args, problems: &mut Problems) {
    if let (Some(codec), Some(_)) = (&args.codec, &args.scope) {
        let message = "values that stay in the process are not written: leave `codec` out, or \
                       `scope = \"process\"`";
        problems.at(codec.name, message);
    }
}

fn check_beta(args: &Args, strategy: Strategy, problems: &mut Problems) {
    if let Some(beta) = args.beta.as_ref().filter(|_| strategy != Strategy::Xfetch) {
        let message = "`beta` belongs to xfetch: add `strategy = \"xfetch\"` or leave `beta` out";
        problems.at(beta.name, message);
    }
}

fn check_strategy(args: &Args, strategy: Strategy, problems: &mut Problems) {
    let at = args.strategy.as_ref().map_or_else(Span::call_site, |given| given.span);
    if strategy == Strategy::Swr && args.grace.is_none() {
        let message = "swr serves a stale value while it refreshes: say for how long, such as \
                       `grace = \"60s\"`";
        problems.at(at, message);
    }
    if strategy != Strategy::Jitter {
        return;
    }
    if args.jitter.is_none() {
        problems.at(at, "strategy jitter needs a spread: write `jitter = ..`, at most `ttl`");
    }
    for (name, given) in [("grace", &args.grace), ("stale_if_error", &args.stale_if_error)] {
        if let Some(given) = given {
            let message = format!(
                "strategy jitter takes no lock and so has no `{name}`: leave it out, or choose \
                 \"lock\", \"xfetch\", \"ahead\" or \"swr\""
            );
            problems.at(given.name, message);
        }
    }
}

fn check_reason(args: &Args, strategy: Strategy, problems: &mut Problems) {
    if args.reason.is_some() {
        return;
    }
    let jittered = args.strategy.as_ref().filter(|_| strategy == Strategy::Jitter);
    let stale = args.grace.as_ref().or(args.stale_if_error.as_ref());
    if let Some(given) = jittered {
        let message = "strategy jitter lets every process load for itself: say why that is right \
                       here, `reason = \"..\"`";
        problems.at(given.span, message);
    } else if let Some(given) = stale {
        let message = "a stale value may be served: say why that is right here, `reason = \"..\"`";
        problems.at(given.name, message);
    }
}
