//! One setting of a function as it stands now, whichever way it was given.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// A setting as it stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Setting {
    /// What takes effect. `None` where only a call can evaluate the expression, or nobody can.
    pub(super) value: Option<Value>,
    /// What was written, where that is out of bounds.
    pub(super) given: Option<Value>,
    pub(super) expression: Option<&'static str>,
    pub(super) is_default: bool,
    /// What a zero means, where it is one.
    pub(super) meaning: Option<&'static str>,
    /// Why there is no value.
    pub(super) trouble: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Span(Duration),
    Count(usize),
}

impl Setting {
    /// The span that takes effect, where it is one and known.
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

    pub(super) fn is_zero(&self) -> bool {
        matches!(self.value, Some(Value::Span(Duration::ZERO) | Value::Count(0)))
    }

    /// The same where zero has a meaning of its own.
    pub(super) fn zero_means(self, meaning: &'static str) -> Self {
        Self { meaning: self.is_zero().then_some(meaning), ..self }
    }

    /// The same as a call will use it.
    pub(super) fn bounded(self, bound: impl Fn(Duration) -> Duration) -> Self {
        match self.span().map(|span| (span, bound(span))) {
            Some((span, bounded)) if span != bounded => {
                Self { value: Some(Value::Span(bounded)), given: self.value, ..self }
            }
            _ => self,
        }
    }
}

/// Milliseconds, a number, or the text of an expression whose value only a call can tell.
impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Some(Value::Span(span)) => serializer.serialize_f64(span.as_secs_f64() * 1000.0),
            Some(Value::Count(count)) => serializer.serialize_u64(count as u64),
            None => {
                let words = self.expression.into_iter().chain(self.trouble);
                serializer.serialize_str(&words.collect::<Vec<_>>().join(" "))
            }
        }
    }
}

/// `300 s`, `300 s (default)`, `300 s = TTL`, or the expression alone; what takes effect first,
/// where that is not what was given: `60 s, given 90 s`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self.value else {
            write!(f, "`{}`", self.expression.unwrap_or("?"))?;
            return self.trouble.map_or(Ok(()), |trouble| write!(f, " {trouble}"));
        };
        match (self.given, self.meaning) {
            (Some(given), _) => write!(f, "{value}, given {given}")?,
            (None, Some(meaning)) if self.expression.is_none() => return f.write_str(meaning),
            (None, Some(meaning)) => write!(f, "{meaning}, {value}")?,
            (None, None) => write!(f, "{value}")?,
        }
        match self.expression {
            Some(expression) => write!(f, " = `{expression}`"),
            None if self.is_default => f.write_str(" (default)"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Span(span) if span.subsec_nanos() == 0 => write!(f, "{} s", span.as_secs()),
            Self::Span(span) => write!(f, "{} ms", span.as_secs_f64() * 1000.0),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}
