//! Changes by key: of one that is known by its text, of many, of all that a function has.

use std::sync::Arc;

use crate::cache::Cache;
use crate::handle::Change;
use crate::key::{Family, Key};
use crate::registry::CachedFn;

impl Cache {
    /// [`invalidate`](crate::Handle::invalidate) by key, for another binary than the one that loads.
    ///
    /// ```
    /// # use cache_core::{Cache, Error, Key};
    /// # async fn change(cache: &Cache) -> Result<(), Error> {
    /// let key = Key::for_function("shop::rows").arg(&7).finish();
    /// cache.invalidate_key(&key).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn invalidate_key(&self, key: &Key) -> Change {
        self.invalidate_many([key])
    }

    /// [`invalidate`](crate::Handle::invalidate) for many keys, or calls, in one go: the round trips
    /// to the store overlap, 64 at a time.
    ///
    /// Loads and copies of this process are refused and dropped first, for all keys and without
    /// waiting. The store then has one [`io_budget`](crate::CacheBuilder::io_budget) (250 ms unless
    /// the cache says otherwise) for every thousand keys begun, for all of them together.
    ///
    /// # Errors
    /// One error for all, which says how many keys failed; those that did not are invalidated. Keys
    /// of which the store did not hear, because it was away or the time was over, are queued as those
    /// of a single `invalidate` are, and sent before the store is asked again. The kind is that of a
    /// failure that no repetition mends, if there is one: keys that are not
    /// [sound](Key::is_sound), or the store's refusal.
    ///
    /// # Cancel safety
    /// Dropped, it stops: keys that were not sent are neither invalidated in the store nor queued.
    ///
    /// ```
    /// # use cache_core::{Cache, Error, Key};
    /// # async fn change(cache: &Cache) -> Result<(), Error> {
    /// let rows = (1..=5000).map(|id| Key::for_function("shop::rows").arg(&id).finish());
    /// cache.invalidate_many(rows).await?; // calls of cached functions will do as well
    /// # Ok(())
    /// # }
    /// ```
    pub fn invalidate_many<K: AsRef<Key>>(&self, keys: impl IntoIterator<Item = K>) -> Change {
        let keys: Vec<Key> = keys.into_iter().map(|key| key.as_ref().clone()).collect();
        let cache = self.clone();
        Change::of(async move {
            if cache.disabled {
                return Ok(());
            }
            cache.tiers.invalidate_many(keys).await
        })
    }

    /// [`CachedFn::invalidate_all`] by name, for another binary than the one that loads: the `name`
    /// and `version` (1 unless stated) that the function has there. Instances of a generic function
    /// belong to it. Who may choose the name may make the store look through all its keys.
    pub fn invalidate_function(&self, name: &str, version: u32) -> Change {
        self.invalidate_family(Family::new(&self.tiers.namespace, name, version, false))
    }

    fn invalidate_family(&self, family: Family) -> Change {
        let cache = Arc::new(self.clone());
        Change::of(async move {
            if cache.disabled {
                return Ok(());
            }
            cache.tiers.invalidate_family(family).await
        })
    }
}

impl CachedFn {
    /// Removes all values of the function from this cache: whatever their arguments, and of a generic
    /// function or a method whatever the type arguments. [`Handle::function`](crate::Handle::function)
    /// leads here. Values of another [`version`](crate::Audited::identity) of it stay, and so do those
    /// of every other function.
    ///
    /// ```
    /// # use cache_core::{Call, Cache, Error, Policy};
    /// # use std::future::Future;
    /// # async fn change<F: Future>(rows: impl Fn(u32) -> Call<F>, cache: &Cache) -> Result<(), Error> {
    /// rows(0).function().invalidate_all(cache).await?; // the argument does not matter
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// O(n) in the number of *all* keys of the store: nothing lists those of one function. Every
    /// primary is looked through twice by `SCAN`, a thousand keys a step, which keeps no server from
    /// its other work; this process remembers 16 bytes for each key it finds. For a group that is
    /// changed often raise the function's `version` instead, or name the keys
    /// ([`invalidate_many`](Cache::invalidate_many)).
    ///
    /// # What it wins over
    /// Every load that began before the call, in whatever process, as `invalidate` does: its value is
    /// not stored, and who comes after this has returned does not get it. The first look changes the
    /// generation of every key that has an entry, a lease or a load mark; the second finds what was
    /// committed while the first passed. Loads that begin later are kept; of one that begins during
    /// the call the value may be lost, at the price of another load. Exceptions, beside those of
    /// `invalidate`: a load that gave no sign of life for a whole lease and commits after the second
    /// look.
    ///
    /// An identity of more than 512 bytes is cut in keys; what looks like a cut one of this function
    /// is removed too. So are values of a function whose `name` contains this one's, with `:v1(`
    /// behind it.
    ///
    /// # Errors
    /// Where a primary does not answer, half a second for each step and three times in a row, or its
    /// account may not `SCAN`. What could be done is done; in this process no load or copy from before
    /// survives in any case. Where the same may work later
    /// ([`is_transient`](crate::Error::is_transient)), the whole is tried again behind until it is
    /// done, and until then this process does not ask the store for the function's values: calls load
    /// them and keep copies for `fallback_ttl`, as while the store is away. Other processes may serve
    /// old values meanwhile.
    ///
    /// # Cancel safety
    /// Dropped, it stops: what was not reached stays, and nothing goes on behind.
    pub fn invalidate_all(&'static self, cache: &Cache) -> Change {
        let family = self.family(&cache.tiers.namespace);
        cache.invalidate_family(family)
    }
}
