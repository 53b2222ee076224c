//! Reads what a function says of itself into the audit.

use std::any::Any;
use std::panic::catch_unwind;
use std::time::Duration;

use super::{Audited, Parameter, Setting, Value};
use crate::cache::{self, Cache};
use crate::policy::{LONGEST, Policy, Strategy, bounded_lease, bounded_wait};
use crate::registry::{self, CachedFn};
use crate::tiers::Defaults;

/// How far the values of a function go, in the cache that it would use now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Into a store.
    Store,
    /// The cache has none.
    Process,
    /// Nothing is installed under its name, or it is disabled: bodies run uncached.
    Nowhere,
    /// An expression may give any cache.
    Unknown,
}

/// A function's settings on their way into the audit.
struct Reading {
    function: &'static CachedFn,
    policy: Policy,
    /// Why expressions have no value.
    trouble: Option<&'static str>,
    panicked: Option<String>,
    defaults: Defaults,
    reach: Reach,
}

/// The spans of a function, as a call will use them.
struct Spans {
    ttl: Setting,
    jitter: Option<Setting>,
    grace: Option<Setting>,
    stale_if_error: Option<Setting>,
    lease: Setting,
    wait: Setting,
    timeout: Option<Setting>,
    none: Option<Setting>,
}

impl Audited {
    pub(super) fn new(function: &'static CachedFn) -> Self {
        let base = function.base_identity().unwrap_or_else(|| function.name().to_owned());
        let read = Reading::new(function);
        let Spans { ttl, jitter, grace, stale_if_error, lease, wait, timeout, none } = read.spans();
        Self {
            identity: format!("{base}:v{}", function.version),
            file: function.source(),
            line: function.line,
            key: function.template,
            arguments: function.arguments.iter().map(Parameter::new).collect(),
            cache: if function.cache.is_empty() { "default" } else { function.cache },
            shared: !function.in_process,
            strategy: read.policy.strategy.name(),
            beta: read.beta(),
            ttl,
            ttl_from: read.expression("ttl_from"),
            jitter,
            grace,
            stale_if_error,
            lease,
            wait,
            timeout,
            none,
            concurrency: read.concurrency(),
            codec: read.codec(),
            detached: read.policy.detach && function.detaches(),
            refreshes_behind: read.policy.refresh_behind && function.detaches(),
            reason: function.reason,
            function,
            says_inline: !read.policy.detach,
            reach: read.reach,
            panicked: read.panicked,
            twins: registry::twins_of(function).map(CachedFn::place_in_words).collect(),
            nameless: function.nameless,
        }
    }
}

impl Reading {
    fn new(function: &'static CachedFn) -> Self {
        let (cache, reach) = cache_of(function);
        let built_in = || Cache::builder().capacity(1).build();
        let defaults = cache.unwrap_or_else(built_in).tiers.defaults;
        let (policy, panicked) = match catch_unwind(function.policy) {
            Ok(policy) => (policy, None),
            Err(panic) => (function.literals.map_or(NOTHING, |literals| literals()), Some(panic)),
        };
        let trouble = panicked.as_ref().map(|_| match function.expressions.len() {
            0 | 1 => "panics",
            _ => "panics, or another setting does",
        });
        let panicked = panicked.map(|panic| words_of(&*panic));
        Self { function, policy, trouble, panicked, defaults, reach }
    }

    fn spans(&self) -> Spans {
        let shorter = |most: Duration| move |span: Duration| span.min(most);
        let ttl = self.given("ttl", |policy| Some(policy.ttl)).unwrap_or_default();
        let ttl = ttl.bounded(shorter(LONGEST)).zero_means("not stored");
        // Without a ttl nothing has a life that could be too long.
        let most = ttl.span().filter(|ttl| !ttl.is_zero()).unwrap_or(LONGEST);
        let optional = |name, value: fn(&Policy) -> Duration, most| {
            let stated =
                self.given(name, |policy| Some(value(policy)).filter(|one| !one.is_zero()));
            stated.map(|setting| setting.bounded(shorter(most)))
        };
        let timeout = optional("timeout", |policy| policy.timeout, LONGEST);
        let none = self.given("none", |policy| policy.none_for);
        let lease = self.or_default("lease", |policy| policy.lease, self.defaults.lease);
        let wait = self.or_default("wait", |policy| policy.wait, self.defaults.wait);
        Spans {
            ttl,
            jitter: optional("jitter", |policy| policy.jitter, most),
            grace: optional("grace", |policy| policy.grace, LONGEST),
            stale_if_error: optional("stale_if_error", |policy| policy.stale_if_error, LONGEST),
            lease: lease.bounded(bounded_lease),
            wait: wait.bounded(bounded_wait),
            timeout: timeout.map(|timeout| timeout.zero_means("no limit")),
            none: none.map(|none| none.bounded(shorter(most)).zero_means("not stored")),
        }
    }

    fn expression(&self, setting: &str) -> Option<&'static str> {
        let mut texts = self.function.expressions.iter();
        texts.find(|(name, _)| *name == setting).map(|(_, text)| *text)
    }

    /// A setting that the function states, else `None`. An expression states also a zero.
    fn stated(&self, name: &str, value: Option<Value>, zero: Value) -> Option<Setting> {
        let Some(expression) = self.expression(name) else {
            return value.map(|value| Setting { value: Some(value), ..Setting::default() });
        };
        let known = self.trouble.is_none() && !self.function.policy_in_place;
        Some(Setting {
            value: known.then(|| value.unwrap_or(zero)),
            expression: Some(expression),
            trouble: self.trouble,
            ..Setting::default()
        })
    }

    fn given(&self, name: &str, span: impl Fn(&Policy) -> Option<Duration>) -> Option<Setting> {
        self.stated(name, span(&self.policy).map(Value::Span), Value::Span(Duration::ZERO))
    }

    fn or_default(
        &self,
        name: &str,
        span: impl Fn(&Policy) -> Option<Duration>,
        default: Duration,
    ) -> Setting {
        self.given(name, span).unwrap_or(Setting {
            value: Some(Value::Span(default)),
            is_default: true,
            ..Setting::default()
        })
    }

    fn concurrency(&self) -> Option<Setting> {
        let most = Some(self.policy.concurrency).filter(|most| *most > 0).map(Value::Count);
        let stated = self.stated("concurrency", most, Value::Count(0));
        stated.map(|most| most.zero_means("no limit"))
    }

    fn beta(&self) -> Option<f64> {
        match self.policy.strategy {
            Strategy::Xfetch { beta } => Some(beta),
            _ => None,
        }
    }

    fn codec(&self) -> String {
        if self.function.in_process {
            return "none".to_owned();
        }
        format!("{:?}", self.policy.codec.unwrap_or(self.defaults.codec)).to_lowercase()
    }
}

const NOTHING: Policy = Policy::ttl(Duration::ZERO);

/// The cache that a function would use now, as far as that is known, and how far it reaches.
fn cache_of(function: &CachedFn) -> (Option<Cache>, Reach) {
    let name = function.cache.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    if name.is_none() && !function.cache.is_empty() {
        return (None, Reach::Unknown);
    }
    let cache = cache::scope().or_else(|| match name {
        Some(name) => cache::installed_as(name),
        None => cache::installed().or_else(|| Some(Cache::builder().capacity(1).build())),
    });
    let reach = match &cache {
        None => Reach::Nowhere,
        Some(cache) if cache.disabled => Reach::Nowhere,
        Some(cache) if cache.tiers.remote.is_some() => Reach::Store,
        Some(_) => Reach::Process,
    };
    (cache, reach)
}

/// What a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".to_owned())
}
