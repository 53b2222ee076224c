//! What one call is about: a key in a cache, under a policy, for a type of value.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::budget::Budget;
use crate::clock::Timestamp;
use crate::codec::{self, Codec, Coding, Encoded, Value};
use crate::entry::{self, Head, Unreadable};
use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::flight::Patience;
use crate::key::Key;
use crate::life::{self, About, SaysTtl};
use crate::local::Kept;
use crate::outcome::Miss;
use crate::permits::{Caps, Loading};
use crate::policy::{LONGEST, Policy, bounded_lease, bounded_wait};
use crate::registry::CachedFn;
use crate::remote::{Errand, Remote};
use crate::store::{Generation, Reply, Shape, Store};
use crate::strategy::{Freshness, Times};
use crate::tiers::{Defaults, Tiers};

/// A type of value: which one, and how it becomes bytes if it may leave the process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueType {
    pub(crate) id: TypeId,
    pub(crate) coding: Option<&'static dyn Coding>,
    /// Tells a `None`, where the function treats it differently.
    pub(crate) is_none: Option<fn(&Value) -> bool>,
    /// What a value says of its own life.
    pub(crate) ttl_from: Option<&'static dyn SaysTtl>,
}

/// The shared level of a call.
#[derive(Debug, Clone)]
pub(crate) struct SharedLevel {
    pub(crate) remote: Arc<Remote>,
    pub(crate) tag: Arc<str>,
    pub(crate) coding: &'static dyn Coding,
    pub(crate) shape: Shape,
}

#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) tiers: Arc<Tiers>,
    pub(crate) function: &'static CachedFn,
    pub(crate) key: Key,
    pub(crate) policy: Policy,
    pub(crate) value_type: ValueType,
    /// `None`: the value lives in this process.
    pub(crate) shared: Option<SharedLevel>,
    pub(crate) budget: Budget,
}

/// A stored value.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) value: Value,
    pub(crate) times: Times,
}

/// A key as logs may show it: secrets in it are digests, keyed where the cache has a secret. The
/// text is made when a line is written, not before.
pub(crate) struct PublicKey<'a>(&'a Target);

impl fmt::Display for PublicKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.shared {
            Some(shared) => f.write_str(&shared.tag),
            None => f.write_str(&self.0.tiers.tag(&self.0.key)),
        }
    }
}

impl Target {
    pub(crate) fn new(
        tiers: Arc<Tiers>,
        function: &'static CachedFn,
        key: Key,
        policy: Policy,
        value_type: ValueType,
    ) -> Self {
        let codec = policy.codec.unwrap_or(tiers.defaults.codec);
        let release = function.release.filter(|_| codec.is_positional());
        let shared =
            tiers.remote.clone().zip(value_type.coding).map(|(remote, coding)| SharedLevel {
                remote,
                tag: tiers.tag(&key).into(),
                coding,
                shape: coding.report().shape(function.version, release),
            });
        let budget = Budget::new(tiers.defaults.io_budget);
        Self { tiers, function, key, policy, value_type, shared, budget }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.shared
            .as_ref()
            .map_or_else(|| self.tiers.clock.now(), |shared| shared.remote.store().now())
    }

    /// Puts one question to the store, out of this call's budget.
    pub(crate) async fn send<'s, T>(
        &mut self,
        errand: Errand,
        shared: &'s SharedLevel,
        question: impl FnOnce(&'s dyn Store, &'s str) -> Reply<'s, T>,
    ) -> Result<T, Error> {
        shared.remote.ask(errand, &shared.tag, &mut self.budget, question).await
    }

    /// The copy kept in this process because the store was away.
    pub(crate) fn spare(&self) -> Option<Found> {
        let shared = self.shared.as_ref()?;
        self.copied(shared.remote.spare(&shared.tag)?)
    }

    /// The copy kept in this process although the store was there, since it did not take the value.
    pub(crate) fn spare_under(&self, generation: Generation) -> Option<Found> {
        let shared = self.shared.as_ref()?;
        self.copied(shared.remote.spare_under(&shared.tag, generation)?)
    }

    fn copied(&self, Kept { value, times }: Kept) -> Option<Found> {
        self.accepts(&value).then(|| self.found(value, times))
    }

    pub(crate) fn lease(&self) -> Duration {
        bounded_lease(self.policy.lease.unwrap_or(self.tiers.defaults.lease))
    }

    pub(crate) fn patience(&self) -> Patience {
        let wait = self.policy.wait.unwrap_or(self.tiers.defaults.wait);
        let overtakes = self.caps().have_outer();
        Patience { lease: self.lease(), wait: bounded_wait(wait), overtakes }
    }

    /// What a load of this is, among the loads that run.
    pub(crate) fn loading(&self) -> Loading {
        let cache = Arc::as_ptr(&self.tiers).addr();
        Loading { function: self.function.name(), cache, key: Arc::clone(self.key.shared()) }
    }

    /// What limits the number of loads: the function's own cap, and the cache's.
    pub(crate) fn caps(&self) -> Caps {
        let function = self.function.permits(self.policy.concurrency);
        Caps::new(function, self.tiers.permits.clone())
    }

    fn codec(&self) -> Codec {
        self.policy.codec.unwrap_or(self.tiers.defaults.codec)
    }

    /// The key as logs may show it.
    pub(crate) fn public_key(&self) -> PublicKey<'_> {
        PublicKey(self)
    }

    pub(crate) fn count(&self, event: Event) {
        self.tiers.counters.add(event);
    }

    /// Whether a value is of this call's type. A flight of another type is not this call's.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        (**value).type_id() == self.value_type.id
    }

    /// Whether a stored value may be served without a load.
    pub(crate) fn is_servable(&self, found: &Found) -> bool {
        let stands = found.times.freshness(&self.policy, self.now());
        matches!(stands, Freshness::Fresh | Freshness::Stale)
    }

    /// The value kept in this process.
    pub(crate) fn kept(&self) -> Result<Found, Miss> {
        let Kept { value, times } = self.tiers.local.get(self.key.as_str()).ok_or(Miss::Cold)?;
        if self.accepts(&value) { Ok(self.found(value, times)) } else { Err(Miss::Shape) }
    }

    fn is_none(&self, value: &Value) -> bool {
        self.value_type.is_none.is_some_and(|is_none| is_none(value))
    }

    /// A stored value, its life bounded by what the function says today of a `None`.
    fn found(&self, value: Value, mut times: Times) -> Found {
        if let Some(span) = self.policy.none_for
            && self.is_none(&value)
        {
            times.fresh_for = times.fresh_for.min(span);
        }
        Found { value, times }
    }

    /// How long a value lives if it is stored now; the event says why it is not to be stored.
    pub(crate) fn life(&self, value: &Value) -> Result<Duration, Event> {
        let ttl = match self.value_type.ttl_from {
            Some(says) => says.ttl_of(value).unwrap_or_default(),
            None => self.policy.ttl,
        };
        life::draw(&self.policy, About { is_none: self.is_none(value), ttl })
    }

    /// Reads stored bytes.
    pub(crate) fn open(&self, shared: &SharedLevel, bytes: &[u8]) -> Result<Found, Miss> {
        let read = entry::read(shared.coding, &shared.tag, shared.shape, self.now(), bytes);
        let (value, times) = read.map_err(|why| {
            let (miss, kind, what) = match why {
                Unreadable::Shape => (Miss::Shape, ErrorKind::Shape, "of another format or codec"),
                Unreadable::Corrupt => {
                    (Miss::Corrupt, ErrorKind::Corrupt, "not intact, or not its")
                }
                Unreadable::Ahead => (Miss::Ahead, ErrorKind::Ahead, "stamped in the future"),
            };
            let error = Error::new(kind, format!("what is stored under the key is {what}"));
            shared.remote.troubles.note(&error, &shared.tag);
            miss
        })?;
        Ok(self.found(value, times))
    }

    /// Writes a value, by a stand-in codec where the chosen one cannot, and packs it.
    pub(crate) fn encode(&self, shared: &SharedLevel, value: &Value) -> Result<Encoded, Error> {
        let Defaults { largest, compress_above, .. } = self.tiers.defaults;
        let encoded = codec::encode(shared.coding, value, self.codec(), largest);
        let encoded = encoded.inspect_err(|error| {
            let too_large = error.kind() == ErrorKind::TooLarge;
            self.count(if too_large { Event::TooLarge } else { Event::Unstorable });
            shared.remote.troubles.note(error, &shared.tag);
        })?;
        if encoded.codec != self.codec() && self.function.stood_in.first() {
            let (function, codec) = (self.function.name(), encoded.codec);
            tracing::warn!(
                function,
                ?codec,
                "the chosen codec cannot carry this type; another one does"
            );
        }
        let (payload, compression) = codec::pack(encoded.payload, compress_above);
        Ok(Encoded { payload, compression, ..encoded })
    }

    /// The head of an entry made now. `times` has everything but the life and the moment.
    pub(crate) fn head(&self, shared: &SharedLevel, encoded: &Encoded, times: Times) -> Head {
        Head {
            codec: encoded.codec,
            compression: encoded.compression,
            shape: shared.shape,
            generation: Generation::NONE,
            times,
        }
    }

    /// Times of a value stored now, to live so long, whose load began at `begun`.
    pub(crate) fn times(
        &self,
        begun: Timestamp,
        fresh_for: Duration,
        cost: Option<Duration>,
    ) -> Times {
        Times {
            begun,
            stored: self.now(),
            fresh_for,
            grace: self.policy.grace.min(LONGEST),
            stale_if_error: self.policy.stale_if_error.min(LONGEST),
            cost,
        }
    }
}
