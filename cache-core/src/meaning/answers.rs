//! What a caller is told of a load that brought neither value nor error, and by which errors.

use std::error::Error as StdError;

use super::Share;
use crate::error::LoadFailed;
use crate::flight::Shared;

impl<E> Share<E> {
    /// `timeout`: a load that does not end in time is answered with [`LoadFailed`], converted.
    #[must_use]
    pub fn answering(self) -> Self
    where
        E: AnswersLoadFailed,
    {
        Self { answer: Some(E::from), ..self }
    }

    /// The leader's error for a load that did not end in time.
    pub(crate) fn late(&self, failed: LoadFailed) -> E {
        let answer = self.answer.expect("only who can answer has a time limit");
        answer(failed)
    }

    /// A waiter's error, if it is of this function's type or can be made so.
    pub(crate) fn error(&self, shared: &Shared) -> Option<E> {
        match (self.answer, shared.downcast_ref::<LoadFailed>()) {
            (Some(answer), Some(failed)) => Some(answer(failed.clone())),
            _ => (self.take)(shared),
        }
    }
}

/// Errors that can say that a load did not end in time.
#[diagnostic::on_unimplemented(
    message = "nothing can answer for a load that timed out: return `Result<_, E>` with \
               `E: From<herdless::LoadFailed>`, or leave `timeout` out",
    label = "returns no error that is `From<LoadFailed>`"
)]
pub trait AnswersLoadFailed: From<LoadFailed> {}

#[diagnostic::do_not_recommend]
impl<E: From<LoadFailed>> AnswersLoadFailed for E {}

/// Errors that can be given to everybody who waited.
#[diagnostic::on_unimplemented(
    message = "there is no error to share: return `Result<_, E>` with \
               `E: From<herdless::LoadFailed> + std::error::Error`, or leave `share_errors` out",
    label = "returns no error that is `From<LoadFailed>` and `Error`"
)]
pub trait SharesLoadFailed: From<LoadFailed> + Into<Box<dyn StdError + Send + Sync>> {}

#[diagnostic::do_not_recommend]
impl<E: From<LoadFailed> + Into<Box<dyn StdError + Send + Sync>>> SharesLoadFailed for E {}
