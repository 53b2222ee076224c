//! Values to bytes and back, and the proof that the bytes mean the value.

#[cfg(feature = "bincode")]
mod strict;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};

use crate::error::{Error, ErrorKind};
use crate::shape::{self, Report};

/// A value of any type, shared by everybody who waited for it.
pub(crate) type Value = Arc<dyn Any + Send + Sync>;

/// The largest payload that is stored: 8 MiB.
pub const LARGEST: usize = 8 << 20;

/// How values are written. An entry names its codec; another one's entry is a miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// Compact, positional. Types it cannot carry (`serde_json::Value`, untagged enums, skipped
    /// fields) are written as JSON instead.
    Bincode,
    /// Self-describing.
    Json,
}

impl Codec {
    /// The codec of a cache that names none: bincode where it is compiled in, else JSON.
    pub const DEFAULT: Self = if cfg!(feature = "bincode") { Self::Bincode } else { Self::Json };

    /// The number that stands in an entry.
    #[must_use]
    pub const fn id(self) -> u8 {
        match self {
            Self::Bincode => 1,
            Self::Json => 2,
        }
    }

    /// The codec with this number.
    #[must_use]
    pub const fn from_id(id: u8) -> Option<Self> {
        match id {
            1 => Some(Self::Bincode),
            2 => Some(Self::Json),
            _ => None,
        }
    }

    /// Whether the codec is compiled in.
    #[must_use]
    pub const fn is_available(self) -> bool {
        match self {
            Self::Bincode => cfg!(feature = "bincode"),
            Self::Json => cfg!(feature = "json"),
        }
    }

    #[cfg_attr(not(any(feature = "bincode", feature = "json")), expect(unused_variables))]
    fn encode<T: Serialize>(self, value: &T) -> Result<Vec<u8>, Error> {
        match self {
            #[cfg(feature = "bincode")]
            Self::Bincode => {
                strict::check(value)?;
                bincode::serde::encode_to_vec(value, bincode::config::standard())
                    .map_err(|cause| unstorable("bincode cannot write the value").because(cause))
            }
            #[cfg(feature = "json")]
            Self::Json => serde_json::to_vec(value)
                .map_err(|cause| unstorable("JSON cannot write the value").because(cause)),
            #[cfg(not(all(feature = "bincode", feature = "json")))]
            missing => Err(unstorable(format!("the codec {missing:?} is not compiled in"))),
        }
    }

    #[cfg_attr(not(any(feature = "bincode", feature = "json")), expect(unused_variables))]
    fn decode<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<T, Error> {
        match self {
            #[cfg(feature = "bincode")]
            Self::Bincode => {
                let config = bincode::config::standard().with_limit::<LARGEST>();
                match bincode::serde::decode_from_slice(bytes, config) {
                    Ok((value, used)) if used == bytes.len() => Ok(value),
                    Ok(_) => Err(unstorable("bytes are left over after the value")),
                    Err(cause) => Err(unstorable("bincode cannot read the value").because(cause)),
                }
            }
            #[cfg(feature = "json")]
            Self::Json => serde_json::from_slice(bytes)
                .map_err(|cause| unstorable("JSON cannot read the value").because(cause)),
            #[cfg(not(all(feature = "bincode", feature = "json")))]
            missing => Err(unstorable(format!("the codec {missing:?} is not compiled in"))),
        }
    }
}

fn unstorable(what: impl Into<Arc<str>>) -> Error {
    Error::new(ErrorKind::Unstorable, what)
}

/// A payload and the value that reading it gives.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) payload: Vec<u8>,
    pub(crate) codec: Codec,
    pub(crate) value: Value,
}

/// What the run time may ask of a value type it does not know.
pub(crate) trait Coding: Send + Sync + fmt::Debug {
    /// Writes with `codec` and reads the bytes once: a miss returns what a hit will return.
    fn encode(&self, value: &Value, codec: Codec) -> Result<Encoded, Error>;
    /// Reads a payload.
    fn decode(&self, payload: &[u8], codec: Codec) -> Result<Value, Error>;
    /// What is known of the value type's shape.
    fn report(&self) -> &'static Report;
}

/// [`Coding`] by serde.
pub(crate) struct Serde<T>(pub(crate) PhantomData<fn() -> T>);

impl<T> fmt::Debug for Serde<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Serde<{}>", std::any::type_name::<T>())
    }
}

impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Coding for Serde<T> {
    fn encode(&self, value: &Value, codec: Codec) -> Result<Encoded, Error> {
        let value =
            value.downcast_ref::<T>().ok_or_else(|| unstorable("a value of another type"))?;
        let payload = codec.encode(value)?;
        if payload.len() > LARGEST {
            let what = format!("the value takes {} bytes, the limit is {LARGEST}", payload.len());
            return Err(Error::new(ErrorKind::TooLarge, what));
        }
        let value = self.decode(&payload, codec)?;
        Ok(Encoded { payload, codec, value })
    }

    fn decode(&self, payload: &[u8], codec: Codec) -> Result<Value, Error> {
        if payload.len() > LARGEST {
            return Err(Error::new(ErrorKind::TooLarge, "an entry over the size limit"));
        }
        codec.decode::<T>(payload).map(|value| Arc::new(value) as Value)
    }

    fn report(&self) -> &'static Report {
        shape::of::<T>()
    }
}

/// Writes a value with the chosen codec, or as JSON where that one cannot carry the type.
///
/// # Errors
/// [`ErrorKind::TooLarge`], or [`ErrorKind::Unstorable`] where no codec at hand can carry it.
pub(crate) fn encode(coding: &dyn Coding, value: &Value, codec: Codec) -> Result<Encoded, Error> {
    match coding.encode(value, codec) {
        Err(error) if error.kind() == ErrorKind::Unstorable && stands_in(codec) => {
            coding.encode(value, Codec::Json).map_err(|_| error)
        }
        result => result,
    }
}

fn stands_in(codec: Codec) -> bool {
    codec != Codec::Json && Codec::Json.is_available()
}

#[cfg(test)]
mod tests;
