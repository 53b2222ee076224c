//! What a cached function returns: a future that is also the handle of one key.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use serde::{Serialize, de::DeserializeOwned};

use crate::cache::Cache;
use crate::codec::Value;
use crate::error::Error;
use crate::key::Key;
use crate::loader::{Background, InPlace, Loading, Movable};
use crate::meaning::{ByTurns as _, Meaning, OfResult, Probe, Share, Stored, take};
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::read::Ask;
use crate::registry::CachedFn;
use crate::run::{Choice, MODE, Mode, OUTCOME, PolicySource, Site, run};

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
        let (site, output) = (self.handle.site.clone(), self.handle.output);
        Peek(Box::pin(async move { Ok(look(site).await?.and_then(|value| output(value).ok())) }))
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

impl<F: Future> fmt::Debug for Call<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(self.handle.key()).finish()
    }
}

/// The key of one call and what can be done with it.
pub struct Handle<R> {
    site: Site,
    output: fn(Value) -> R,
    value: fn(R) -> Option<Value>,
}

impl<R: 'static> Handle<R> {
    /// The stored value, fresh or within grace. Never runs the loader.
    pub fn peek(&self) -> Peek<R> {
        let (site, output) = (self.site.clone(), self.output);
        Peek(Box::pin(async move { Ok(look(site).await?.map(output)) }))
    }

    /// Stores a value computed elsewhere. Counts as an invalidation: loads that run are refused.
    pub fn prime(&self, value: R) -> Change {
        self.store(value)
    }

    fn store(&self, output: R) -> Change {
        let (site, value) = (self.site.clone(), (self.value)(output));
        Change::new(site, move |target| async move {
            match value {
                Some(value) => target.prime(value).await,
                None => Ok(()),
            }
        })
    }
}

#[cfg(feature = "testing")]
impl<R> Handle<R> {
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    pub(crate) fn value_of(&self, output: R) -> Option<Value> {
        (self.value)(output)
    }
}

impl<R> Handle<R> {
    /// The key, without namespace. [`Cache::redis_key`] adds that.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.site.key
    }

    /// Removes the value. Whoever calls after this has returned does not see it again: loads that
    /// run are refused, in every process.
    pub fn invalidate(&self) -> Change {
        Change::new(self.site.clone(), |target| target.invalidate())
    }

    /// Ends the value's ttl now: within grace it is still served while one refresh runs. Without
    /// grace and stale_if_error this is [`invalidate`](Self::invalidate).
    pub fn expire(&self) -> Change {
        Change::new(self.site.clone(), |target| target.expire())
    }
}

impl<R> fmt::Debug for Handle<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.site.key).finish()
    }
}

async fn look(site: Site) -> Result<Option<Value>, Error> {
    let cache = site.cache();
    if cache.disabled {
        return Ok(None);
    }
    Ask::new(site.target(&cache), false).peek().await
}

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// From [`Call::peek`]: owns its key, uses the cache of its first poll.
///
/// # Errors
/// Where the store does not answer.
#[must_use = "a look does nothing until it is awaited"]
pub struct Peek<T>(Boxed<Option<T>>);

/// From `invalidate`, `expire` and `prime`: owns its key, uses the cache of its first poll.
///
/// # Errors
/// Where the store does not answer: other processes may still serve the old value. Where a value
/// to [`prime`](Call::prime) cannot be stored: the old one is removed.
#[must_use = "a change does nothing until it is awaited"]
pub struct Change(Boxed<()>);

impl Change {
    fn new<Fut>(
        site: Site,
        change: impl FnOnce(crate::target::Target) -> Fut + Send + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<(), Error>> + Send,
    {
        Self(Box::pin(async move {
            let cache = site.cache();
            if cache.disabled { Ok(()) } else { change(site.target(&cache)).await }
        }))
    }
}

impl<T> Future for Peek<T> {
    type Output = Result<Option<T>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl Future for Change {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for Peek<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Peek")
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Change")
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

/// What generated code builds a [`Call`] from.
#[derive(Debug)]
pub struct Wrapper<M: Meaning> {
    site: Site,
    share: Share<M::Error>,
}

impl CachedFn {
    /// One call of this function.
    #[must_use]
    pub fn call<M: Meaning>(
        &'static self,
        key: Key,
        policy: fn() -> Policy,
        stored: Stored<M>,
        share: Share<M::Error>,
    ) -> Wrapper<M> {
        let policy = PolicySource::Evaluated(policy);
        let Stored { value_type, .. } = stored;
        let site = Site { function: self, key, policy, value_type, choice: Choice::Default };
        Wrapper { site, share }
    }
}

impl<M: Meaning> Wrapper<M> {
    /// Uses the cache installed under this name.
    #[must_use]
    pub fn named_cache(mut self, name: &'static str) -> Self {
        self.site.choice = Choice::Named(name);
        self
    }

    /// Uses this cache, whatever scope the call is made in.
    #[must_use]
    pub fn on(mut self, cache: &Cache) -> Self {
        self.site.choice = Choice::Given(cache.clone());
        self
    }

    /// A body that has to run where the call is.
    pub fn in_place<F: Future<Output = M::Output>>(
        self,
        body: F,
    ) -> Call<impl Future<Output = M::Output> + use<M, F>> {
        self.with(InPlace(body))
    }

    /// A body whose arguments can be moved into a task of its own, if `away` says so.
    pub fn movable<A, F, Fut>(
        self,
        arguments: A,
        here: F,
        away: fn(A) -> Result<Background<M::Output>, A>,
    ) -> Call<impl Future<Output = M::Output> + use<M, A, F, Fut>>
    where
        F: FnOnce(A) -> Fut,
        Fut: Future<Output = M::Output>,
    {
        self.with(Movable { arguments, here, away })
    }

    fn with<L: Loading<M::Output>>(
        self,
        loading: L,
    ) -> Call<impl Future<Output = M::Output> + use<M, L>> {
        let handle = Handle {
            site: self.site.clone(),
            output: |value| M::ok(take(value)),
            value: |output| M::split(output).ok().map(|value| Arc::new(value) as Value),
        };
        let future = run::<M, L>(self.site, self.share, loading);
        Call { future, started: false, mode: Mode::Read, handle }
    }
}

/// The body of a function whose attribute was refused: there is an error already, and this keeps it
/// the only one.
pub fn refused<F: Future>(_: F) -> Call<F> {
    unreachable!("a program with a refused attribute does not compile")
}

impl Cache {
    /// Reads through this cache without the macro. Waiters of a failed load run `load` themselves,
    /// at most four at a time.
    ///
    /// # Errors
    /// What `load` returns.
    pub async fn get_or_load<T, E, F, Fut>(
        &self,
        key: &Key,
        policy: &Policy,
        load: F,
    ) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
        E: 'static,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        static FUNCTION: CachedFn = CachedFn::new("get_or_load", file!(), line!());
        let meaning: OfResult<T, E> = Probe::<Result<T, E>>::RETURN.meaning();
        let share = meaning.errors().share();
        let site = Site {
            function: &FUNCTION,
            key: key.clone(),
            policy: PolicySource::Fixed(*policy),
            value_type: meaning.by_serde().value_type,
            choice: Choice::Given(self.clone()),
        };
        let wrapper = Wrapper::<OfResult<T, E>> { site, share };
        wrapper.in_place(async move { load().await }).await
    }

    /// [`invalidate`](Handle::invalidate) by key, for another binary than the one that loads.
    pub fn invalidate_key(&self, key: &Key) -> Change {
        static FUNCTION: CachedFn = CachedFn::new("invalidate_key", file!(), line!());
        let meaning = Probe::<Result<(), ()>>::RETURN.meaning();
        let site = Site {
            function: &FUNCTION,
            key: key.clone(),
            policy: PolicySource::Fixed(Policy::ttl(std::time::Duration::ZERO)),
            value_type: meaning.by_serde().value_type,
            choice: Choice::Given(self.clone()),
        };
        Change::new(site, |target| target.invalidate())
    }
}
