//! What looks wrong about the times of a function, each alone and beside the others.

use std::time::Duration;

use super::super::{Audited, Reach, Setting};
use crate::lease::LONGEST_RENEWAL;
use crate::store::Generation;

/// So long a dead process may hold everybody up.
const LONGEST_LEASE: Duration = Duration::from_secs(60);

impl Audited {
    pub(super) fn check_reach(&self) -> Option<String> {
        let ends_here = matches!(self.reach, Reach::Process | Reach::Nowhere);
        (self.shared && ends_here).then(|| {
            "its cache has no store or is not installed, so every process loads for itself: \
             install one, or accept it by `scope = \"process\"`"
                .to_owned()
        })
    }

    pub(super) fn check_panic(&self) -> Option<String> {
        let message = self.panicked.as_ref()?;
        Some(format!(
            "an expression among its settings panics, as it will in every call: {message}; set up \
             what it needs before"
        ))
    }

    pub(super) fn check_ttl(&self) -> Option<String> {
        let zero = self.ttl.is_zero();
        zero.then(|| format!("`ttl` is zero, so nothing is stored: {}", self.ttl))
    }

    pub(super) fn check_bounds(&self) -> Option<String> {
        let all = [
            ("ttl", Some(self.ttl)),
            ("jitter", self.jitter),
            ("grace", self.grace),
            ("stale_if_error", self.stale_if_error),
            ("lease", Some(self.lease)),
            ("wait", Some(self.wait)),
            ("timeout", self.timeout),
            ("none", self.none),
        ];
        let found = all.into_iter().filter_map(|(name, setting)| {
            let Setting { value, given, .. } = setting?;
            Some(format!("`{name}` of {} takes effect as {}", given?, value?))
        });
        let found: Vec<_> = found.collect();
        (!found.is_empty()).then(|| format!("{}: write what is meant", found.join(", ")))
    }

    pub(super) fn check_jitter(&self) -> Option<String> {
        let spreads = self.jitter.is_some_and(|jitter| !jitter.is_zero());
        (self.shared && !spreads && !self.ttl.is_zero()).then(|| {
            "no `jitter`: values that were stored together end together; write `jitter = ..`, a \
             tenth of the ttl or more"
                .to_owned()
        })
    }

    pub(super) fn check_beta(&self) -> Option<String> {
        let beta = self.beta.filter(|beta| !(0.3..=3.0).contains(beta))?;
        let what = if beta < 1.0 { "hardly ever" } else { "far too often" };
        Some(format!("`beta` of {beta} refreshes {what}: write something between 0.3 and 3"))
    }

    pub(super) fn check_grace(&self) -> Option<String> {
        if self.strategy == "swr" && self.grace.is_none_or(|grace| grace.is_zero()) {
            let message = "`grace` is zero, so swr serves nothing stale: write a longer one, or \
                           `strategy = \"lock\"`";
            return Some(message.to_owned());
        }
        let (grace, lease) = (self.grace?.span()?, self.lease.span()?);
        (!grace.is_zero() && grace < lease).then(|| {
            format!(
                "`grace` of {grace:?} ends before a dead refresh is noticed (`lease` of {lease:?}): \
                 write at least as much"
            )
        })
    }

    pub(super) fn check_lease(&self) -> Option<String> {
        let (lease, wait) = (self.lease.span()?, self.wait.span()?);
        if lease > LONGEST_LEASE {
            return Some(format!(
                "`lease` of {lease:?}: so long a dead process holds everybody up; a load may take \
                 longer than its lease, which is renewed"
            ));
        }
        if lease > wait {
            return Some(format!(
                "`lease` of {lease:?} is longer than `wait` of {wait:?}: write a shorter one"
            ));
        }
        let timeout = self.limit().filter(|timeout| lease > *timeout && !self.lease.is_default)?;
        Some(format!(
            "`lease` of {lease:?} outlasts every load (`timeout` of {timeout:?}), so others wait \
             longer for a dead one than for a slow one: write a shorter one"
        ))
    }

    pub(super) fn check_wait(&self) -> Option<String> {
        let (wait, lease) = (self.wait.span()?, self.lease.span()?);
        let unlimited = self.timeout.is_none_or(|timeout| timeout.is_zero());
        (self.shared && unlimited && wait > LONGEST_RENEWAL + lease).then(|| {
            format!(
                "`wait` of {wait:?} is never used up: without a `timeout` a load keeps its lease \
                 for {LONGEST_RENEWAL:?}; write a `timeout`, or a shorter `wait`"
            )
        })
    }

    pub(super) fn check_timeout(&self) -> Option<String> {
        let (timeout, wait) = (self.limit()?, self.wait.span()?);
        if timeout > wait {
            return Some(format!(
                "after `wait` of {wait:?} another caller loads beside one that may take until \
                 `timeout` of {timeout:?}: write a longer `wait`"
            ));
        }
        let longest = Generation::LIFE;
        (self.shared && timeout > longest).then(|| {
            format!(
                "what a load brings after {longest:?} is not stored, but `timeout` lets it run for \
                 {timeout:?}: write a shorter one"
            )
        })
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout?.span().filter(|timeout| !timeout.is_zero())
    }
}
