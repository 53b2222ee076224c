//! What of a function's output is stored, and how its errors reach those who waited.
//!
//! Decided by type, where the function is defined, so that an alias behaves like the type it
//! names: an inherent method beats a trait's, and of two trait methods the one with fewer
//! references to strip wins.

mod answers;
mod lives;
mod storable;

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Serialize, de::DeserializeOwned};

use crate::codec::{Coding, Serde, Value};
use crate::error::LoadFailed;
use crate::flight::Shared;
use crate::target::ValueType;

pub use answers::{AnswersLoadFailed, SharesLoadFailed};
pub use lives::MayBeNone;
pub use storable::{Kept, NotCloned, NotRead, NotSent, NotWritten, Written};

/// What a return type is made of, whether or not it can be cached.
pub trait Parts: Sized + 'static {
    /// The function's own return type.
    type Output: 'static;
    /// What is stored.
    type Value: 'static;
    /// What is never stored.
    type Error: 'static;

    /// Whether this takes a `Result` for a plain value: the function returns a type parameter of an
    /// `impl`, which no name gave away. Its errors would be stored.
    #[must_use]
    fn hides_a_result() -> bool {
        false
    }
}

/// How an output splits into what is stored and what is not.
pub trait Meaning: Parts<Value: Clone + Send + Sync> {
    /// The value, or the error.
    ///
    /// # Errors
    /// What is never stored.
    fn split(output: Self::Output) -> Result<Self::Value, Self::Error>;
    /// An output with this value.
    fn ok(value: Self::Value) -> Self::Output;
    /// An output with this error.
    fn err(error: Self::Error) -> Self::Output;
}

/// A return type, to be asked how its values are stored and its errors shared.
#[derive(Debug)]
pub struct Returns<M>(PhantomData<fn() -> M>);

impl<M: Parts> Returns<M> {
    /// The errors, to ask how they are shared.
    #[must_use]
    pub fn errors(&self) -> Errors<M::Error> {
        Errors(PhantomData)
    }
}

/// `Result<T, E>`, by whatever name: `T` is stored, `E` never.
#[derive(Debug)]
pub struct OfResult<T, E>(PhantomData<fn() -> (T, E)>);

/// Anything else is stored whole.
#[derive(Debug)]
pub struct OfPlain<R>(PhantomData<fn() -> R>);

/// The error of an output that cannot fail.
#[derive(Debug, Clone, Copy)]
pub enum Never {}

/// Asks what a return type means: `Probe::<R>::RETURN.meaning()`.
#[derive(Debug)]
pub struct Probe<R>(PhantomData<fn() -> R>);

impl<R> Probe<R> {
    /// The probe.
    pub const RETURN: Self = Self(PhantomData);
}

impl<T, E> Probe<Result<T, E>> {
    /// A `Result`.
    #[must_use]
    pub fn meaning(self) -> Returns<OfResult<T, E>> {
        Returns(PhantomData)
    }
}

/// Where [`Probe`] has no method of its own.
pub trait Plain<R>: Sized {
    /// No `Result`.
    fn meaning(self) -> Returns<OfPlain<R>> {
        Returns(PhantomData)
    }
}

impl<R> Plain<R> for Probe<R> {}

impl<T: 'static, E: 'static> Parts for OfResult<T, E> {
    type Output = Result<T, E>;
    type Value = T;
    type Error = E;
}

impl<T: Clone + Send + Sync + 'static, E: 'static> Meaning for OfResult<T, E> {
    fn split(output: Self::Output) -> Result<T, E> {
        output
    }
    fn ok(value: T) -> Self::Output {
        Ok(value)
    }
    fn err(error: E) -> Self::Output {
        Err(error)
    }
}

impl<R: 'static> Parts for OfPlain<R> {
    type Output = R;
    type Value = R;
    type Error = Never;

    fn hides_a_result() -> bool {
        std::any::type_name::<R>().starts_with("core::result::Result<")
    }
}

impl<R: Clone + Send + Sync + 'static> Meaning for OfPlain<R> {
    fn split(output: R) -> Result<R, Never> {
        Ok(output)
    }
    fn ok(value: R) -> R {
        value
    }
    fn err(error: Never) -> R {
        match error {}
    }
}

/// How values of one meaning are kept.
pub struct Stored<M: Meaning> {
    pub(crate) value_type: ValueType,
    meaning: PhantomData<fn() -> M>,
}

impl<M: Meaning> Stored<M> {
    /// Values stay in this process as they are.
    pub(crate) fn in_process() -> Self {
        Self::new(None)
    }

    /// Values may leave the process, written by serde.
    pub(crate) fn by_serde() -> Self
    where
        M::Value: Serialize + DeserializeOwned,
    {
        Self::new(Some(&Serde::<M::Value>(PhantomData)))
    }

    fn new(coding: Option<&'static dyn Coding>) -> Self {
        let id = TypeId::of::<M::Value>();
        let value_type = ValueType { id, coding, is_none: None, ttl_from: None };
        Self { value_type, meaning: PhantomData }
    }
}

impl<M: Meaning> Clone for Stored<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Meaning> Copy for Stored<M> {}

impl<M: Meaning> fmt::Debug for Stored<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stored").field(&self.value_type).finish()
    }
}

/// Takes a value out, without a copy when nobody else has it.
pub(crate) fn take<T: Clone + Send + Sync + 'static>(value: Value) -> T {
    let value: Arc<T> = value.downcast().expect("values are accepted by their type");
    Arc::try_unwrap(value).unwrap_or_else(|shared| T::clone(&shared))
}

/// The errors of a function, to be asked `(&&errors).share()`.
#[derive(Debug)]
pub struct Errors<E>(PhantomData<fn() -> E>);

/// How a leader's error reaches those who waited.
pub struct Share<E> {
    pub(crate) function: &'static str,
    /// The leader's own error and one for the others.
    pub(crate) split: fn(E, &'static str) -> (E, Option<Shared>),
    /// A waiter's error.
    pub(crate) take: fn(&Shared) -> Option<E>,
    /// The error where there is none of the loader's.
    pub(crate) answer: Option<fn(LoadFailed) -> E>,
}

impl<E> Clone for Share<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Share<E> {}

impl<E> fmt::Debug for Share<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("function", &self.function).finish_non_exhaustive()
    }
}

/// Errors that are `Clone` are cloned.
pub trait ByClone<E> {
    /// A clone for everybody.
    fn share(&self) -> Share<E>;
}

/// Errors that are not make every waiter run the loader, a few at a time.
pub trait ByTurns<E> {
    /// To each its own.
    fn share(&self) -> Share<E>;
}

impl<E: Clone + Send + 'static> ByClone<E> for &Errors<E> {
    fn share(&self) -> Share<E> {
        Share {
            function: "",
            split: |error, _| (error.clone(), Some(Arc::new(Mutex::new(error)))),
            take: |shared| {
                let error = shared.downcast_ref::<Mutex<E>>()?;
                Some(error.lock().unwrap_or_else(PoisonError::into_inner).clone())
            },
            answer: None,
        }
    }
}

impl<E> ByTurns<E> for Errors<E> {
    fn share(&self) -> Share<E> {
        Share { function: "", split: |error, _| (error, None), take: |_| None, answer: None }
    }
}

impl<E> Errors<E> {
    /// `share_errors`: one [`LoadFailed`] around the leader's error, converted for each, the
    /// leader included.
    #[must_use]
    pub fn share_as_load_failed(&self, function: &'static str) -> Share<E>
    where
        E: SharesLoadFailed,
    {
        Share {
            function,
            split: |error, function| {
                let failed = LoadFailed::new(function, error);
                (E::from(failed.clone()), Some(Arc::new(failed)))
            },
            take: |shared| shared.downcast_ref::<LoadFailed>().cloned().map(E::from),
            answer: None,
        }
    }
}

#[cfg(test)]
mod tests;
