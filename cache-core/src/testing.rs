//! For tests of cached code: entries of any age, and whether values survive being stored. For
//! fuzzing: the codecs by themselves.

mod roundtrip;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, de::DeserializeOwned};

use crate::clock::Timestamp;
use crate::codec::{self, Codec, Coding as _, Compression, Serde, Value};
use crate::error::{Error, ErrorKind};
use crate::flight::next_order;
use crate::handle::Handle;
use crate::local::Kept;
use crate::remote::Errand;
use crate::strategy::Times;

pub use roundtrip::{assert_roundtrip, assert_roundtrip_with};

/// A stored value's past.
#[derive(Debug, Clone, Copy, Default)]
pub struct Past {
    /// How long ago it was stored.
    pub age: Duration,
    /// The ttl it was stored with.
    pub fresh_for: Duration,
    /// What its load cost.
    pub cost: Option<Duration>,
}

/// Stores `output` as if it had been loaded in the past; grace and stale_if_error are the
/// function's own. Counts as an invalidation.
///
/// ```text
/// let past = Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
/// plant(&price(7), Ok(42), past).await?;
/// assert_eq!(price(7).with_outcome().await.1.kind, Kind::Stale);
/// ```
///
/// # Errors
/// Where the store does not answer, or `output` is one that is not stored.
pub async fn plant<R>(handle: &Handle<R>, output: R, past: Past) -> Result<(), Error> {
    let value = handle.value_of(output);
    let value = value.ok_or_else(|| Error::new(ErrorKind::Unstorable, "an error is not stored"))?;
    let cache = handle.site().cache();
    let mut target = handle.site().target(&cache);
    let made = target.now().before(past.age);
    let Past { fresh_for, cost, .. } = past;
    let times = Times { stored: made, ..target.times(made, fresh_for, cost) };
    let Some(shared) = target.shared.clone() else {
        let times = Times { begun: Timestamp::from_micros(next_order()), ..times };
        target.tiers.local.put(target.key.shared(), Kept { value: Arc::clone(&value), times });
        return Ok(());
    };
    let value: Value = value;
    let encoded = target.encode(&shared, &value)?;
    let entry = target.head(&shared, &encoded, times).seal(&shared.tag, &encoded.payload);
    target.send(Errand::Other, &shared, |store, key| store.prime(key, shared.shape, &entry)).await
}

/// The payload of a value. `None` where this codec cannot carry it.
#[doc(hidden)]
pub fn encode<T>(value: &T, codec: Codec) -> Option<Vec<u8>>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let value: Value = Arc::new(value.clone());
    Some(Serde::<T>(PhantomData).encode(&value, codec, usize::MAX).ok()?.payload)
}

/// The value of a payload. `None` where it is not one.
#[doc(hidden)]
pub fn decode<T>(payload: &[u8], codec: Codec) -> Option<T>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let value = Serde::<T>(PhantomData).decode(payload, codec).ok()?;
    value.downcast_ref().cloned()
}

/// A payload, packed where that makes it smaller.
#[doc(hidden)]
#[must_use]
pub fn pack(payload: Vec<u8>) -> (Vec<u8>, Compression) {
    codec::pack(payload, Some(0))
}

/// The payload as it was before. `None` where it is not what it says.
#[doc(hidden)]
#[must_use]
pub fn unpack(payload: &[u8], compression: Compression) -> Option<Vec<u8>> {
    compression.unpack(payload).map(Cow::into_owned)
}
