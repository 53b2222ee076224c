//! A call without its types: which function, key, settings and cache; and how it is asked.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::{self, Cache};
use crate::key::Key;
use crate::limit::Limit;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::registry::CachedFn;
use crate::target::{Target, ValueType};

/// What a call is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Read through.
    Read,
    /// Recompute now.
    Refresh,
    /// The loader alone.
    Bypass,
}

thread_local! {
    /// Set around the first poll of a call, taken by the first statement of its future.
    pub(crate) static MODE: Cell<Mode> = const { Cell::new(Mode::Read) };
    /// Set by the last statement of a call's future, read in the same poll.
    pub(crate) static OUTCOME: Cell<Option<Outcome>> = const { Cell::new(None) };
}

/// Which cache a call uses.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// The scope's, else the installed one, else the built-in one.
    Default,
    /// The scope's, else the one of this name.
    Named(&'static str),
    /// This one.
    Given(Cache),
}

/// A call without its types.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) function: &'static CachedFn,
    pub(crate) key: Key,
    pub(crate) policy: PolicySource,
    pub(crate) value_type: ValueType,
    pub(crate) choice: Choice,
    /// The function has an error for a load that does not end in time.
    pub(crate) answers: bool,
}

/// Settings are expressions, evaluated at each look-up; or fixed by a caller without the macro.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PolicySource {
    Evaluated(fn() -> Policy),
    Fixed(Policy),
}

impl Site {
    pub(crate) fn cache(&self) -> Cache {
        let shared = self.value_type.coding.is_some();
        match &self.choice {
            Choice::Given(cache) => cache.clone(),
            Choice::Named(name) => cache::resolve(Some(name), self.function.name(), shared),
            Choice::Default => cache::resolve(None, self.function.name(), shared),
        }
    }

    pub(crate) fn target(&self, cache: &Cache) -> Target {
        let tiers = Arc::clone(&cache.tiers);
        Target::new(tiers, self.function, self.key.clone(), self.policy(), self.value_type)
    }

    fn policy(&self) -> Policy {
        let policy = match self.policy {
            PolicySource::Evaluated(policy) => policy(),
            PolicySource::Fixed(policy) => policy,
        };
        if self.answers { policy } else { policy.timeout(Duration::ZERO) }
    }

    /// The time limit of a loader that runs alone.
    pub(crate) fn limit(&self) -> Limit {
        Limit::new(&self.policy(), self.function)
    }
}
