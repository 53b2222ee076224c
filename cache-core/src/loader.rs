//! The user's body, ready to run where the call is or in a task of its own.

mod lent;

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use crate::behind::Behind;
use crate::codec::Value;
use crate::error::LoadFailed;
use crate::flight::Shared;
use crate::load::{Beside, Lead, Settled};

pub use lent::{CannotCopy, CopyArgument, LentArgument};

/// What is to be loaded.
pub(crate) enum Start {
    /// A load that is granted.
    Lead(Box<Lead>),
    /// A refresh that has yet to ask.
    Behind(Box<Behind>),
}

/// An output without its type, taken apart.
pub(crate) enum Split {
    Value(Value),
    /// The leader's own output, unless whoever ran the loader has kept it, and the error for the
    /// others.
    Error(Option<Mine>, Option<Shared>),
    /// It took too long.
    Late(LoadFailed),
}

/// What the caller of a failed load gets.
pub(crate) enum Mine {
    /// Its own output, as an `Option` to be taken out through a reference.
    Sent(Box<dyn Any + Send>),
    /// An error made of this.
    Late(LoadFailed),
}

/// What a load came to; the output where it is the leader's own error.
pub(crate) enum Done {
    Settled(Settled, Option<Mine>),
    /// Somebody else refreshes, or has.
    NotDue,
}

/// A loader that brings its output taken apart.
pub(crate) type Body = Pin<Box<dyn Future<Output = Split> + Send>>;

/// Where a detached load leaves its result for a caller that is still there.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Done>>>);

impl Slot {
    fn put(&self, done: Done) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    }

    pub(crate) fn take(&self) -> Option<Done> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The whole load in one job, its result in `slot`. Compiled once: what knows types is in `body`.
pub(crate) async fn job(start: Start, body: Body, slot: Slot) {
    slot.put(load(start, body).await);
}

async fn load(start: Start, mut body: Body) -> Done {
    let lead = match start {
        Start::Lead(lead) => lead,
        Start::Behind(behind) => match Box::pin(behind.begin(true)).await {
            Some(lead) => Box::new(lead),
            None => return Done::NotDue,
        },
    };
    let mut beside = Beside::new(lead);
    let mut split = None;
    let ran = poll_fn(|cx| {
        beside.poll(cx, &mut |cx| body.as_mut().poll(cx).map(|done| split = Some(done)))
    })
    .await;
    drop(body);
    let split = ran.map_or_else(Split::Late, |()| split.expect("it has ended"));
    settle(beside.done(), split).await
}

/// Stores what a loader brought.
pub(crate) async fn settle(lead: Box<Lead>, split: Split) -> Done {
    match split {
        Split::Value(value) => Done::Settled(Box::pin(lead.land(value)).await, None),
        Split::Error(mine, shared) => Done::Settled(Box::pin(lead.fail(shared)).await, mine),
        Split::Late(failed) => {
            let settled = Box::pin(lead.fail(Some(Arc::new(failed.clone())))).await;
            Done::Settled(settled, Some(Mine::Late(failed)))
        }
    }
}

/// A loader that can outlive its caller.
pub struct Background<R> {
    pub(crate) loader: Pin<Box<dyn Future<Output = R> + Send>>,
    /// Known here, where the output is known to be `Send`.
    pub(crate) erase: fn(R) -> Box<dyn Any + Send>,
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

/// For a function of what `copy` makes of borrowed arguments.
pub fn copied_by<C>(_: &C) -> CopiedBy<C> {
    CopiedBy(PhantomData)
}

/// Tells the compiler what a loader takes.
#[derive(Debug)]
pub struct CopiedBy<C>(PhantomData<fn(C)>);

impl<C> CopiedBy<C> {
    /// As [`loader`].
    pub fn loader<B, A, F, Fut>(self, function: F) -> Loader<F>
    where
        C: FnOnce(B) -> A,
        F: FnOnce(A) -> Fut,
    {
        Loader(function)
    }
}

impl<F> fmt::Debug for Loader<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader")
    }
}

/// A load that can leave its caller, if there were arguments for one; or these back.
pub type Detached<R, A> = Result<Option<Background<R>>, Option<A>>;

/// Chosen where the loader's future and output are `Send + 'static`.
pub trait CanDetach<A> {
    /// The function's output.
    type Output;
    /// The loader, ready to go anywhere. Without arguments it says that it could.
    ///
    /// # Errors
    /// Never here.
    fn detach(self, arguments: Option<A>) -> Detached<Self::Output, A>;
}

impl<A, F, Fut> CanDetach<A> for Loader<F>
where
    A: Send + 'static,
    F: FnOnce(A) -> Fut + Send + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Send + 'static,
{
    type Output = Fut::Output;

    fn detach(self, arguments: Option<A>) -> Detached<Fut::Output, A> {
        Ok(arguments.map(|arguments| self.start(arguments)))
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
        Background { loader: Box::pin((self.0)(arguments)), erase: |output| Box::new(Some(output)) }
    }

    /// The same where the arguments are borrowed: `copy` makes owned ones for a load that leaves.
    ///
    /// # Errors
    /// Never.
    pub fn lent<B, A, Fut>(
        self,
        borrowed: Option<B>,
        copy: impl FnOnce(B) -> A,
    ) -> Detached<Fut::Output, B>
    where
        A: Send + 'static,
        F: FnOnce(A) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        Ok(borrowed.map(|borrowed| self.start(copy(borrowed))))
    }
}

/// Chosen everywhere else: the load stays with its caller.
pub trait StaysHere<A, R> {
    /// The arguments again.
    ///
    /// # Errors
    /// Always: the arguments.
    fn detach(self, arguments: Option<A>) -> Detached<R, A>;
}

impl<A, R, F, Fut> StaysHere<A, R> for &Loader<F>
where
    F: FnOnce(A) -> Fut,
    Fut: Future<Output = R>,
{
    fn detach(self, arguments: Option<A>) -> Detached<R, A> {
        Err(arguments)
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
    pub(crate) away: fn(Option<A>) -> Detached<R, A>,
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
        let Self { arguments, here, away } = self;
        match away(Some(arguments)) {
            Ok(background) => Ok(background.expect("there were arguments")),
            Err(arguments) => {
                Err(Self { arguments: arguments.expect("they come back"), here, away })
            }
        }
    }
}
