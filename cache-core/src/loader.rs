//! The user's body, ready to run where the call is or in a task of its own.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use crate::behind::Behind;
use crate::codec::Value;
use crate::error::LoadFailed;
use crate::flight::Shared;
use crate::handover::Job;
use crate::load::{Lead, Settled};

/// What is to be loaded.
pub(crate) enum Start {
    /// A load that is granted.
    Lead(Box<Lead>),
    /// A refresh that has yet to ask.
    Behind(Box<Behind>),
}

/// An output, taken apart.
pub(crate) enum Split<R> {
    Value(Value),
    /// The leader's own output and the error for the others.
    Error(R, Option<Shared>),
}

/// What a load came to; the output where it is the leader's own error.
pub(crate) enum Done<R> {
    Settled(Settled, Option<R>),
    /// Somebody else refreshes, or has.
    NotDue,
}

/// Takes an output apart, or answers for a load that did not bring one.
pub(crate) type Splitter<R> = Box<dyn FnOnce(Result<R, LoadFailed>) -> Split<R> + Send>;

/// Where a detached load leaves its result for a caller that is still there.
pub(crate) struct Slot<R>(Arc<Mutex<Option<Done<R>>>>);

impl<R> Slot<R> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    fn put(&self, done: Done<R>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    }

    pub(crate) fn take(&self) -> Option<Done<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The whole load around a loader's future.
pub(crate) async fn load<R, F>(start: Start, split: Splitter<R>, loader: F) -> Done<R>
where
    F: Future<Output = R> + Unpin,
{
    let mut lead = match start {
        Start::Lead(lead) => lead,
        Start::Behind(behind) => match Box::pin(behind.begin(true)).await {
            Some(lead) => Box::new(lead),
            None => return Done::NotDue,
        },
    };
    let output = lead.beside(loader).await;
    match split(output) {
        Split::Value(value) => Done::Settled(Box::pin(lead.land(value)).await, None),
        Split::Error(mine, shared) => Done::Settled(Box::pin(lead.fail(shared)).await, Some(mine)),
    }
}

type Make<R> = dyn FnOnce(Start, Splitter<R>, Slot<R>) -> Job + Send;

/// A loader that can outlive its caller.
pub struct Background<R>(Box<Make<R>>);

impl<R> Background<R> {
    /// The load as a job, its result in `slot`.
    pub(crate) fn job(self, start: Start, split: Splitter<R>, slot: Slot<R>) -> Job {
        (self.0)(start, split, slot)
    }
}

impl<R> fmt::Debug for Background<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Background")
    }
}

/// A function of arguments to the loader's future, to be asked whether it can be detached.
pub struct Loader<F>(F);

/// Wraps a function for [`CanDetach`] and [`StaysHere`].
pub fn loader<F>(function: F) -> Loader<F> {
    Loader(function)
}

impl<F> fmt::Debug for Loader<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader")
    }
}

/// A way to start a load that can leave its caller, where there is one.
pub type Detached<R, A> = Option<Box<dyn FnOnce(A) -> Background<R> + Send>>;

/// Chosen where the loader's future and output are `Send + 'static`.
pub trait CanDetach<A> {
    /// The function's output.
    type Output;
    /// The loader, ready to go anywhere.
    fn detach(self) -> Detached<Self::Output, A>;
}

impl<A, F, Fut> CanDetach<A> for Loader<F>
where
    A: Send + 'static,
    F: FnOnce(A) -> Fut + Send + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Send + 'static,
{
    type Output = Fut::Output;

    fn detach(self) -> Detached<Fut::Output, A> {
        Some(Box::new(move |arguments| self.start(arguments)))
    }
}

impl<F> Loader<F> {
    /// The load of a function whose future may leave its caller.
    fn start<A, Fut>(self, arguments: A) -> Background<Fut::Output>
    where
        A: Send + 'static,
        F: FnOnce(A) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        Background(Box::new(move |start, split, slot| {
            Box::pin(async move {
                let loader = Box::pin((self.0)(arguments));
                slot.put(load(start, split, loader).await);
            })
        }))
    }

    /// The same where the arguments are borrowed: `copy` makes owned ones for a load that leaves.
    pub fn lent<B, A, Fut>(
        self,
        copy: impl FnOnce(B) -> A + Send + 'static,
    ) -> Detached<Fut::Output, B>
    where
        A: Send + 'static,
        F: FnOnce(A) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        Some(Box::new(move |borrowed| self.start(copy(borrowed))))
    }
}

/// Chosen everywhere else: the load stays with its caller.
pub trait StaysHere<A, R> {
    /// Nothing.
    fn detach(self) -> Detached<R, A>;
}

impl<A, R, F, Fut> StaysHere<A, R> for &Loader<F>
where
    F: FnOnce(A) -> Fut,
    Fut: Future<Output = R>,
{
    fn detach(self) -> Detached<R, A> {
        None
    }
}

/// The user's body with its arguments.
pub(crate) trait Loading<R>: Sized {
    type Here: Future<Output = R>;
    /// To be run by the caller.
    fn here(self) -> Pin<Box<Self::Here>>;
    /// To be run by anybody, where that is possible.
    fn away(self) -> Result<Background<R>, Self>;
}

/// A body that borrows, or uses `self`. Its future is made where it is needed: a hit makes none.
pub(crate) struct InPlace<F>(pub(crate) F);

impl<R, F: FnOnce() -> Fut, Fut: Future<Output = R>> Loading<R> for InPlace<F> {
    type Here = Fut;
    fn here(self) -> Pin<Box<Fut>> {
        Box::pin((self.0)())
    }
    fn away(self) -> Result<Background<R>, Self> {
        Err(self)
    }
}

/// A body whose arguments can be moved away.
pub(crate) struct Movable<A, F, R> {
    pub(crate) arguments: A,
    pub(crate) here: F,
    pub(crate) away: fn() -> Detached<R, A>,
}

impl<A, R, F, Fut> Loading<R> for Movable<A, F, R>
where
    F: FnOnce(A) -> Fut,
    Fut: Future<Output = R>,
{
    type Here = Fut;
    fn here(self) -> Pin<Box<Fut>> {
        Box::pin((self.here)(self.arguments))
    }
    fn away(self) -> Result<Background<R>, Self> {
        match (self.away)() {
            Some(start) => Ok(start(self.arguments)),
            None => Err(self),
        }
    }
}
