//! How long values of one meaning live, where the values themselves have a say.

use super::{Meaning, Stored};
use crate::life::TtlFrom;

impl<M: Meaning> Stored<M> {
    /// `none`: a `None` lives as [`Policy::none_for`](crate::Policy::none_for) says.
    #[must_use]
    pub fn told_none(mut self) -> Self
    where
        M::Value: MayBeNone,
    {
        self.value_type.is_none =
            Some(|value| value.downcast_ref().is_some_and(<M::Value as MayBeNone>::is_none));
        self
    }

    /// `ttl_from`: a value says how long it lives, the policy's ttl at most.
    #[must_use]
    pub fn ttl_from(mut self, from: &'static TtlFrom<M::Value>) -> Self {
        self.value_type.ttl_from = Some(from);
        self
    }
}

/// Values that `none` speaks of.
#[diagnostic::on_unimplemented(
    message = "`none` speaks of `Option<_>` or `Result<Option<_>, _>`, and `{Self}` is stored here",
    label = "stores no `Option`"
)]
pub trait MayBeNone {
    /// Whether there is nothing.
    fn is_none(&self) -> bool;
}

impl<T> MayBeNone for Option<T> {
    fn is_none(&self) -> bool {
        Self::is_none(self)
    }
}
