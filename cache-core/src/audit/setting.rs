//! Settings of a function as they stand now, whichever way they were given.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::policy::Policy;
use crate::registry::CachedFn;
use crate::tiers::Defaults;

/// A setting as it stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// `None` where only a call can evaluate the expression.
    pub(super) value: Option<Value>,
    pub(super) expression: Option<&'static str>,
    pub(super) is_default: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Span(Duration),
    Count(usize),
}

impl Setting {
    /// The span, where it is one and known.
    #[must_use]
    pub fn span(&self) -> Option<Duration> {
        match self.value {
            Some(Value::Span(span)) => Some(span),
            _ => None,
        }
    }

    /// The expression it was given by, if any.
    #[must_use]
    pub fn expression(&self) -> Option<&'static str> {
        self.expression
    }
}

/// Milliseconds, a number, or the text of an expression whose value only a call can tell.
impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Some(Value::Span(span)) => serializer.serialize_f64(span.as_secs_f64() * 1000.0),
            Some(Value::Count(count)) => serializer.serialize_u64(count as u64),
            None => serializer.serialize_str(self.expression.unwrap_or("?")),
        }
    }
}

pub(super) fn count(concurrency: usize) -> Option<Value> {
    (concurrency > 0).then_some(Value::Count(concurrency))
}

/// A function's settings on their way into the audit.
pub(super) struct Reading {
    pub(super) function: &'static CachedFn,
    pub(super) policy: Policy,
    pub(super) defaults: Defaults,
}

impl Reading {
    pub(super) fn expression(&self, setting: &str) -> Option<&'static str> {
        let mut texts = self.function.expressions.iter();
        texts.find(|(name, _)| *name == setting).map(|(_, text)| *text)
    }

    /// A setting that the function states, else `None`.
    pub(super) fn given(
        &self,
        name: &str,
        value: impl Fn(&Policy) -> Option<Value>,
    ) -> Option<Setting> {
        let expression = self.expression(name);
        let evaluated = expression.is_none() || !self.function.policy_in_place;
        let value = value(&self.policy).filter(|_| evaluated);
        let stated = value.is_some() || expression.is_some();
        stated.then_some(Setting { value, expression, is_default: false })
    }

    pub(super) fn span(&self, name: &str, value: impl Fn(&Policy) -> Duration) -> Setting {
        let setting = self.given(name, |policy| Some(Value::Span(value(policy))));
        setting.unwrap_or(Setting { value: None, expression: None, is_default: false })
    }

    /// A span whose zero means that there is none.
    pub(super) fn some_span(
        &self,
        name: &str,
        value: impl Fn(&Policy) -> Duration,
    ) -> Option<Setting> {
        self.given(name, |policy| {
            Some(value(policy)).filter(|span| !span.is_zero()).map(Value::Span)
        })
    }

    pub(super) fn or_default(
        &self,
        name: &str,
        value: impl Fn(&Policy) -> Option<Duration>,
        default: Duration,
    ) -> Setting {
        self.given(name, |policy| value(policy).map(Value::Span)).unwrap_or(Setting {
            value: Some(Value::Span(default)),
            expression: None,
            is_default: true,
        })
    }

    pub(super) fn codec(&self) -> String {
        if self.function.in_process {
            return "none".to_owned();
        }
        format!("{:?}", self.policy.codec.unwrap_or(self.defaults.codec)).to_lowercase()
    }
}
