//! From a cached function's parts to a call: what generated code uses, and code without the macro.

use std::future::{Future, Ready};
use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};

use crate::cache::Cache;
use crate::call::Call;
use crate::codec::Value;
use crate::handle::Handle;
use crate::key::Key;
use crate::loader::{Detached, InPlace, Loading, Movable};
use crate::meaning::{ByTurns as _, Meaning, OfResult, Probe, Share, Stored, take};
use crate::policy::Policy;
use crate::registry::CachedFn;
use crate::run::Run;
use crate::site::{Choice, PolicySource, Site};

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
        stored: Stored<M>,
        share: Share<M::Error>,
    ) -> Wrapper<M> {
        let key = if M::hides_a_result() { self.refuse(key) } else { key };
        let policy = PolicySource::Evaluated(self.policy);
        let Stored { value_type, .. } = stored;
        let (choice, answers) = (Choice::Default, share.answer.is_some());
        let site = Site { function: self, key, policy, value_type, choice, answers };
        Wrapper { site, share }
    }

    /// The policy but for the times that only the function itself can evaluate.
    #[must_use]
    pub fn known(&self) -> Policy {
        (self.policy)()
    }
}

impl<M: Meaning> Wrapper<M> {
    /// Times that only the function itself can evaluate.
    #[must_use]
    pub fn policy(mut self, policy: fn() -> Policy) -> Self {
        self.site.policy = PolicySource::Evaluated(policy);
        self
    }

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
    pub fn in_place<F, Fut>(self, body: F) -> Call<impl Future<Output = M::Output> + use<M, F, Fut>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = M::Output>,
    {
        self.with(InPlace(body))
    }

    /// A body whose arguments can be moved into a task of its own, where `away` says how.
    pub fn movable<A, F, Fut>(
        self,
        arguments: A,
        here: F,
        away: fn(Option<A>) -> Detached<M::Output, A>,
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
        let handle = Handle::new(self.site.clone(), output_of::<M>, value_of::<M>);
        Call::new(Run::<M, L>::new(self.site, self.share, loading), handle)
    }
}

// Functions, not closures in `with`: those would be compiled again for every loader.

fn output_of<M: Meaning>(value: Value) -> M::Output {
    M::ok(take(value))
}

fn value_of<M: Meaning>(output: M::Output) -> Option<Value> {
    match M::split(output) {
        Ok(value) => Some(Arc::new(value)),
        Err(_) => None,
    }
}

/// The body of a refused function: there is an error already, and this keeps it the only one.
pub fn refused<F: Future>(_: F) -> Call<F> {
    unreachable!("a program with a refused function does not compile")
}

/// The same where the output can be named: a call asks nothing of the body.
pub fn refused_as<R, F: Future>(_: F) -> Call<Ready<R>> {
    unreachable!("a program with a refused function does not compile")
}

/// What a function type returns. No signature may name `!`, and one may name this of `fn() -> !`.
pub trait Returned {
    /// It.
    type Output;
}

impl<R> Returned for fn() -> R {
    type Output = R;
}

impl Cache {
    /// Reads through this cache without the macro. Waiters of a failed load run `load` themselves,
    /// at most four at a time.
    ///
    /// [`Policy::none_for`], [`Policy::timeout`] and [`Policy::concurrency`] say something about
    /// one function, its values and its errors, and are not heeded here: all callers of this
    /// method count as one function of any type.
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
        let share = Probe::<Result<T, E>>::RETURN.meaning().errors().share();
        let site = Site {
            function: &FUNCTION,
            key: key.clone(),
            policy: PolicySource::Fixed(policy.concurrency(0)),
            value_type: Stored::<OfResult<T, E>>::by_serde().value_type,
            choice: Choice::Given(self.clone()),
            answers: false,
        };
        let wrapper = Wrapper::<OfResult<T, E>> { site, share };
        wrapper.in_place(load).await
    }
}
