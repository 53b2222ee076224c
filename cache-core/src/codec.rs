//! Values to bytes and back, and the proof that the bytes mean the value.

mod compression;
#[cfg(any(feature = "bincode", feature = "json", feature = "postcard", feature = "messagepack"))]
mod formats;
#[cfg(any(feature = "bincode", feature = "postcard"))]
mod strict;
mod bounded;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};

use bounded::Bounded;

use crate::error::{Error, ErrorKind};
use crate::shape::{self, Report};

pub use compression::Compression;
pub(crate) use compression::pack;

/// A value of any type, shared by everybody who waited for it.
pub(crate) type Value = Arc<dyn Any + Send + Sync>;

/// The largest payload that is stored or read, before compression: 8 MiB.
pub const LARGEST: usize = 8 << 20;

/// How values are written. An entry names its codec, so readers with another setting read it too,
/// where that codec is compiled in; elsewhere it is a miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// Compact, positional. Types it cannot carry (`serde_json::Value`, untagged enums, skipped
    /// fields) are written by a self-describing codec instead.
    Bincode,
    /// Self-describing.
    Json,
    /// Compact, positional, as bincode.
    Postcard,
    /// Self-describing: fields by their names, in fewer bytes than JSON.
    MessagePack,
}

impl Codec {
    /// The codec of a cache that names none: bincode where it is compiled in, else the first there
    /// is of JSON, postcard and MessagePack.
    pub const DEFAULT: Self = if cfg!(feature = "bincode") {
        Self::Bincode
    } else if cfg!(feature = "json") {
        Self::Json
    } else if cfg!(feature = "postcard") {
        Self::Postcard
    } else if cfg!(feature = "messagepack") {
        Self::MessagePack
    } else {
        Self::Json
    };

    #[cfg(any(test, feature = "testing"))]
    pub(crate) const ALL: [Self; 4] =
        [Self::Bincode, Self::Json, Self::Postcard, Self::MessagePack];

    /// The number that stands in an entry.
    #[must_use]
    pub const fn id(self) -> u8 {
        match self {
            Self::Bincode => 1,
            Self::Json => 2,
            Self::Postcard => 3,
            Self::MessagePack => 4,
        }
    }

    /// The codec with this number.
    #[must_use]
    pub const fn from_id(id: u8) -> Option<Self> {
        match id {
            1 => Some(Self::Bincode),
            2 => Some(Self::Json),
            3 => Some(Self::Postcard),
            4 => Some(Self::MessagePack),
            _ => None,
        }
    }

    /// Whether the codec is compiled in.
    #[must_use]
    pub const fn is_available(self) -> bool {
        match self {
            Self::Bincode => cfg!(feature = "bincode"),
            Self::Json => cfg!(feature = "json"),
            Self::Postcard => cfg!(feature = "postcard"),
            Self::MessagePack => cfg!(feature = "messagepack"),
        }
    }

    /// Whether it writes values without names, so that only an equal type reads them right.
    #[must_use]
    pub const fn is_positional(self) -> bool {
        matches!(self, Self::Bincode | Self::Postcard)
    }

    pub(crate) fn encode<T: Serialize + DeserializeOwned + 'static>(
        self,
        value: &T,
        limit: usize,
    ) -> Result<Vec<u8>, Error> {
        #[cfg(any(feature = "bincode", feature = "postcard"))]
        if self.is_positional() {
            strict::check(value, &shape::of::<T>().names)?;
        }
        let mut to = Bounded::new(limit);
        let written = match self {
            #[cfg(feature = "bincode")]
            Self::Bincode => formats::bincode::write(value, &mut to),
            #[cfg(feature = "json")]
            Self::Json => formats::json::write(value, &mut to),
            #[cfg(feature = "postcard")]
            Self::Postcard => formats::postcard::write(value, &mut to),
            #[cfg(feature = "messagepack")]
            Self::MessagePack => formats::messagepack::write(value, &mut to),
            #[cfg(not(all(
                feature = "bincode",
                feature = "json",
                feature = "postcard",
                feature = "messagepack"
            )))]
            _ => absent((value, &mut to)),
        };
        match written {
            Ok(()) => Ok(to.bytes),
            Err(_) if to.is_over => {
                let what = format!("the value takes more than {limit} bytes, which is the limit");
                Err(Error::new(ErrorKind::TooLarge, what))
            }
            Err(cause) => {
                Err(unstorable(format!("{self:?} cannot write the value")).because(cause))
            }
        }
    }

    pub(crate) fn decode<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<T, Error> {
        let read = match self {
            #[cfg(feature = "bincode")]
            Self::Bincode => formats::bincode::read(bytes),
            #[cfg(feature = "json")]
            Self::Json => formats::json::read(bytes),
            #[cfg(feature = "postcard")]
            Self::Postcard => formats::postcard::read(bytes),
            #[cfg(feature = "messagepack")]
            Self::MessagePack => formats::messagepack::read(bytes),
            #[cfg(not(all(
                feature = "bincode",
                feature = "json",
                feature = "postcard",
                feature = "messagepack"
            )))]
            _ => absent(bytes),
        };
        read.map_err(|cause| unstorable(format!("{self:?} cannot read the value")).because(cause))
    }
}

/// Why a format failed.
type Cause = Box<dyn std::error::Error + Send + Sync>;

#[cfg(not(all(
    feature = "bincode",
    feature = "json",
    feature = "postcard",
    feature = "messagepack"
)))]
fn absent<A, R>(_: A) -> Result<R, Cause> {
    Err("it is not compiled in".into())
}

fn unstorable(what: impl Into<Arc<str>>) -> Error {
    Error::new(ErrorKind::Unstorable, what)
}

/// A payload and the value that reading it gives.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) payload: Vec<u8>,
    pub(crate) codec: Codec,
    pub(crate) compression: Compression,
    pub(crate) value: Value,
}

/// What the run time may ask of a value type it does not know.
pub(crate) trait Coding: Send + Sync + fmt::Debug {
    /// Writes with `codec`, no more than `limit` bytes, and reads them once: a miss returns what a
    /// hit will return.
    fn encode(&self, value: &Value, codec: Codec, limit: usize) -> Result<Encoded, Error>;
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
    fn encode(&self, value: &Value, codec: Codec, limit: usize) -> Result<Encoded, Error> {
        let value =
            value.downcast_ref::<T>().ok_or_else(|| unstorable("a value of another type"))?;
        let payload = codec.encode(value, limit.min(LARGEST))?;
        let value = self.decode(&payload, codec)?;
        Ok(Encoded { payload, codec, compression: Compression::None, value })
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

/// Writes a value with the chosen codec, or with a self-describing one where that one cannot carry
/// the type.
///
/// # Errors
/// [`ErrorKind::TooLarge`], or [`ErrorKind::Unstorable`] where no codec at hand can carry it.
pub(crate) fn encode(
    coding: &dyn Coding,
    value: &Value,
    codec: Codec,
    limit: usize,
) -> Result<Encoded, Error> {
    let stand_in = stand_in(codec);
    // A type that takes anything may have been written without what would show it.
    let encoded = match stand_in {
        Some(_) if codec.is_positional() && coding.report().asks_any => Err(unstorable(
            "the type takes whatever it is given: only a codec that describes itself carries it",
        )),
        _ => coding.encode(value, codec, limit),
    };
    match (encoded, stand_in) {
        (Err(error), Some(stand_in)) if error.kind() == ErrorKind::Unstorable => {
            coding.encode(value, stand_in, limit).map_err(|_| error)
        }
        (encoded, _) => encoded,
    }
}

/// The self-describing codec that takes over, if there is one.
fn stand_in(codec: Codec) -> Option<Codec> {
    [Codec::Json, Codec::MessagePack]
        .into_iter()
        .find(|other| *other != codec && other.is_available())
}

#[cfg(test)]
mod tests;
