//! What a cached function returns: a future that is also the handle of one key.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::handle::{Change, Handle, Peek};
use crate::key::Key;
use crate::outcome::Outcome;
use crate::site::{MODE, Mode, OUTCOME};

pin_project! {
    /// A call of a cached function. Await it to read through the cache; or use it as the handle of
    /// its key: [`key`](Handle::key), [`peek`](Self::peek), [`prime`](Self::prime),
    /// [`refresh`](Self::refresh), [`invalidate`](Handle::invalidate), [`expire`](Handle::expire),
    /// [`bypass`](Self::bypass), [`with_outcome`](Self::with_outcome).
    ///
    /// Lazy: nothing happens before the first poll. `Send` when the loader is.
    ///
    /// # Cancel safety
    /// Dropping a call never hurts another one. A load it had started goes on in a task of its own
    /// where the arguments can be moved there; otherwise the next waiter starts over.
    ///
    /// # Panics
    /// A panic of the loader reaches the caller that ran it, nobody else. Outside a tokio runtime
    /// with time enabled, everything but a hit in the process panics.
    #[must_use = "a call does nothing until it is awaited"]
    pub struct Call<F: Future> {
        #[pin]
        future: F,
        started: bool,
        mode: Mode,
        handle: Handle<F::Output>,
    }
}

impl<F: Future> Future for Call<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        if *this.started {
            return this.future.poll(cx);
        }
        *this.started = true;
        let _restore = Restore(MODE.replace(*this.mode));
        this.future.poll(cx)
    }
}

/// Puts the mode back, on a panic too.
struct Restore(Mode);

impl Drop for Restore {
    fn drop(&mut self) {
        MODE.set(self.0);
    }
}

impl<F: Future> Call<F> {
    pub(crate) fn new(future: F, handle: Handle<F::Output>) -> Self {
        Self { future, started: false, mode: Mode::Read, handle }
    }

    /// Recomputes now, stores, returns. Waits for a load that runs already, in this process or
    /// another one, and then leads, or takes a load that began after this call: any number of
    /// simultaneous refreshes cost at most two loads.
    pub fn refresh(self) -> Self {
        Self { mode: Mode::Refresh, ..self }
    }

    /// The loader alone: nothing is read, stored or waited for.
    pub fn bypass(self) -> Self {
        Self { mode: Mode::Bypass, ..self }
    }

    /// The answer and how it came.
    pub fn with_outcome(self) -> WithOutcome<F> {
        WithOutcome { call: self }
    }
}

impl<F, T, E> Call<F>
where
    F: Future<Output = Result<T, E>>,
    T: 'static,
    E: 'static,
{
    /// The stored value, fresh or within grace. Never runs the loader.
    pub fn peek(&self) -> Peek<T> {
        self.handle.look(Result::ok)
    }

    /// Stores a value computed elsewhere. Counts as an invalidation: loads that run are refused.
    pub fn prime(&self, value: T) -> Change {
        self.handle.store(Ok(value))
    }
}

impl<F: Future> Deref for Call<F> {
    type Target = Handle<F::Output>;

    fn deref(&self) -> &Handle<F::Output> {
        &self.handle
    }
}

impl<F: Future> AsRef<Key> for Call<F> {
    fn as_ref(&self) -> &Key {
        self.handle.key()
    }
}

impl<F: Future> fmt::Debug for Call<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(self.handle.key()).finish()
    }
}

pin_project! {
    /// From [`Call::with_outcome`].
    #[must_use = "a call does nothing until it is awaited"]
    pub struct WithOutcome<F: Future> {
        #[pin]
        call: Call<F>,
    }
}

impl<F: Future> Future for WithOutcome<F> {
    type Output = (F::Output, Outcome);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let output = std::task::ready!(self.project().call.poll(cx));
        let outcome = OUTCOME.take().expect("a call says how it was answered as it is");
        Poll::Ready((output, outcome))
    }
}

impl<F: Future> fmt::Debug for WithOutcome<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)
    }
}
