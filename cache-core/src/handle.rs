//! The key of one call, and what can be done with it without loading.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::change;
use crate::codec::Value;
use crate::error::{Error, ErrorKind};
use crate::key::Key;
use crate::read::Ask;
use crate::registry::CachedFn;
use crate::site::Site;
use crate::target::Target;

/// The key of one call and what can be done with it.
pub struct Handle<R> {
    site: Site,
    output: fn(Value) -> R,
    value: fn(R) -> Option<Value>,
}

impl<R: 'static> Handle<R> {
    pub(crate) fn new(site: Site, output: fn(Value) -> R, value: fn(R) -> Option<Value>) -> Self {
        Self { site, output, value }
    }

    /// The stored value, fresh or within grace. Never runs the loader.
    pub fn peek(&self) -> Peek<R> {
        self.look(Some)
    }

    /// Stores a value computed elsewhere. Counts as an invalidation: loads that run are refused.
    pub fn prime(&self, value: R) -> Change {
        self.store(value)
    }

    /// What `wanted` makes of the stored output.
    pub(crate) fn look<T: 'static>(&self, wanted: fn(R) -> Option<T>) -> Peek<T> {
        let (site, output) = (self.site.clone(), self.output);
        Peek(Box::pin(async move {
            let value = look(site).await?;
            Ok(value.and_then(|value| wanted(output(value))))
        }))
    }

    pub(crate) fn store(&self, output: R) -> Change {
        let (site, value) = (self.site.clone(), (self.value)(output));
        Change::new(site, move |target| async move {
            match value {
                Some(value) => target.prime(value).await,
                None => Err(Error::new(ErrorKind::Unstorable, "an error is never stored")),
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
    /// The key, without namespace. [`Cache::redis_key`](crate::Cache::redis_key) adds that.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.site.key
    }

    /// Removes the value. Whoever calls after this has returned does not see it again: loads that
    /// run are refused, in every process.
    pub fn invalidate(&self) -> Change {
        Change::new(self.site.clone(), |target| target.invalidate())
    }

    /// The function, of which there may be more values: see
    /// [`invalidate_all`](CachedFn::invalidate_all).
    #[must_use]
    pub fn function(&self) -> &'static CachedFn {
        self.site.function
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
    if cache.disabled || !site.key.is_sound() {
        return Ok(None);
    }
    Ask::new(site.target(&cache), false).peek().await
}

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// From [`Call::peek`](crate::Call::peek): owns its key, uses the cache of its first poll.
///
/// # Errors
/// Where the store does not answer.
#[must_use = "a look does nothing until it is awaited"]
pub struct Peek<T>(Boxed<Option<T>>);

/// From `invalidate`, `expire` and `prime`: owns its key, uses the cache of its first poll.
///
/// # Errors
/// Where the store does not answer: other processes may still serve the old value. Where a value
/// to [`prime`](crate::Call::prime) cannot be stored: the old one is removed. Where the key is not
/// [sound](Key::is_sound): the call runs uncached, so there is nothing to change.
#[must_use = "a change does nothing until it is awaited"]
pub struct Change(Boxed<()>);

impl Change {
    pub(crate) fn new<Fut>(site: Site, make: impl FnOnce(Target) -> Fut + Send + 'static) -> Self
    where
        Fut: Future<Output = Result<(), Error>> + Send,
    {
        Self(Box::pin(async move {
            let cache = site.cache();
            if cache.disabled {
                return Ok(());
            }
            if !site.key.is_sound() {
                return Err(change::unsound());
            }
            make(site.target(&cache)).await
        }))
    }
}

impl Change {
    /// A change of more than one key.
    pub(crate) fn of(change: impl Future<Output = Result<(), Error>> + Send + 'static) -> Self {
        Self(Box::pin(change))
    }
}

impl<R> AsRef<Key> for Handle<R> {
    fn as_ref(&self) -> &Key {
        self.key()
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
