//! Collects every mistake, so that a user fixes them in one round.

use proc_macro2::Span;
use syn::{Error, Result};

/// The mistakes seen so far, in the order they were seen.
#[derive(Default)]
pub(crate) struct Problems(Option<Error>);

impl Problems {
    /// Notes a mistake at the guilty token.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(Error::new(span, message));
    }

    /// Notes what another stage reported.
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The value, or `None` once its mistake is noted.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// The value if nothing went wrong.
    pub(crate) fn finish<T>(self, value: T) -> Result<T> {
        self.0.map_or(Ok(value), Err)
    }
}
