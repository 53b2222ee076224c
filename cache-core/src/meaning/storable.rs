//! Whether the values of a return type can be stored, asked `(&&&&&returns).by_serde()`.
//!
//! Of traits with one method name the compiler takes the one with the fewest references to strip.
//! The first asks for everything; each further one drops a demand and puts in its place one that
//! nothing meets, so that exactly what is missing is reported, once, in words. What comes out of
//! those is good for anything: the first message stays the only one.

use std::marker::PhantomData;

use serde::{Serialize, de::DeserializeOwned};

use super::{Meaning, Parts, Returns, Stored};

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cached: it is not `Clone`",
    label = "a cached value must be `Clone`",
    note = "a cached value is `Clone + Send + Sync + 'static`, and unless it stays in the process \
            (`scope = \"process\"`) `Serialize + DeserializeOwned`: \
            `#[derive(Clone, Serialize, Deserialize)]`"
)]
pub trait CloneValue {}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cached: it is not `Send + Sync`",
    label = "a cached value must be `Send + Sync`",
    note = "a cached value is handed to callers on other threads: return a type without `Rc`, \
            `RefCell` and the like"
)]
pub trait SendValue {}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cached: it is not `Serialize`",
    label = "a cached value must be `Serialize`",
    note = "add `#[derive(serde::Serialize, serde::Deserialize)]`, or keep values in the process \
            by `scope = \"process\"`"
)]
pub trait SerializeValue {}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cached: it is not `DeserializeOwned`",
    label = "a cached value must be `DeserializeOwned`",
    note = "add `#[derive(serde::Deserialize)]` and own what it borrows, or keep values in the \
            process by `scope = \"process\"`"
)]
pub trait DeserializeValue {}

/// A return type whose values cannot be stored, beside the message that says so.
#[derive(Debug)]
pub struct OfRefused<M>(PhantomData<fn() -> M>);

impl<M: Parts> Parts for OfRefused<M> {
    type Output = M::Output;
    type Value = ();
    type Error = M::Error;
}

impl<M: Parts> Meaning for OfRefused<M> {
    fn split(_: M::Output) -> Result<(), M::Error> {
        refused()
    }
    fn ok((): ()) -> M::Output {
        refused()
    }
    fn err(_: M::Error) -> M::Output {
        refused()
    }
}

fn refused<T>() -> T {
    unreachable!("a program with a refused return type does not compile")
}

/// Values that may leave the process.
pub trait Written<M: Meaning> {
    /// By serde.
    fn by_serde(&self) -> Stored<M>;
}

/// Values that can be written and not read.
pub trait NotRead<M: Parts> {
    /// Refused.
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: DeserializeValue;
}

/// Values that cannot be written.
pub trait NotWritten<M: Parts> {
    /// Refused.
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: SerializeValue;
}

/// Values that cannot be handed to others.
pub trait NotSent<M: Parts> {
    /// Refused.
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: SendValue;
    /// Refused.
    fn in_process(&self) -> Stored<OfRefused<M>>
    where
        M::Value: SendValue;
}

/// Values that are one of a kind.
pub trait NotCloned<M: Parts> {
    /// Refused.
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: CloneValue;
    /// Refused.
    fn in_process(&self) -> Stored<OfRefused<M>>
    where
        M::Value: CloneValue;
}

/// Values that stay in the process.
pub trait Kept<M: Meaning> {
    /// As they are.
    fn in_process(&self) -> Stored<M>;
}

impl<M: Meaning<Value: Serialize + DeserializeOwned>> Written<M> for &&&&Returns<M> {
    fn by_serde(&self) -> Stored<M> {
        Stored::by_serde()
    }
}

impl<M: Meaning<Value: Serialize>> NotRead<M> for &&&Returns<M> {
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: DeserializeValue,
    {
        refused()
    }
}

impl<M: Meaning> NotWritten<M> for &&Returns<M> {
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: SerializeValue,
    {
        refused()
    }
}

impl<M: Meaning> Kept<M> for &&Returns<M> {
    fn in_process(&self) -> Stored<M> {
        Stored::in_process()
    }
}

impl<M: Parts<Value: Clone>> NotSent<M> for &Returns<M> {
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: SendValue,
    {
        refused()
    }
    fn in_process(&self) -> Stored<OfRefused<M>>
    where
        M::Value: SendValue,
    {
        refused()
    }
}

impl<M: Parts> NotCloned<M> for Returns<M> {
    fn by_serde(&self) -> Stored<OfRefused<M>>
    where
        M::Value: CloneValue,
    {
        refused()
    }
    fn in_process(&self) -> Stored<OfRefused<M>>
    where
        M::Value: CloneValue,
    {
        refused()
    }
}
