//! The formats behind the codecs, each behind its feature.
//!
//! MessagePack is written with the names of fields, so that it describes itself as JSON does: as
//! arrays it would be one more positional format, and the weakest, for it would read what skipped a
//! field. What reads must consume everything.

use serde::{Serialize, de::DeserializeOwned};

use super::Cause;
use super::bounded::Bounded;

#[cfg(any(feature = "bincode", feature = "postcard", feature = "messagepack"))]
const LEFT_OVER: &str = "bytes are left over after the value";

#[cfg(feature = "bincode")]
pub(super) mod bincode {
    use super::*;
    use ::bincode::{config, serde};

    pub(in super::super) fn write<T: Serialize>(value: &T, to: &mut Bounded) -> Result<(), Cause> {
        serde::encode_into_std_write(value, to, config::standard())?;
        Ok(())
    }

    pub(in super::super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Cause> {
        let config = config::standard().with_limit::<{ super::super::LARGEST }>();
        let (value, used) = serde::decode_from_slice(bytes, config)?;
        if used == bytes.len() { Ok(value) } else { Err(LEFT_OVER.into()) }
    }
}

#[cfg(feature = "postcard")]
pub(super) mod postcard {
    use super::*;

    pub(in super::super) fn write<T: Serialize>(value: &T, to: &mut Bounded) -> Result<(), Cause> {
        ::postcard::to_io(value, to)?;
        Ok(())
    }

    pub(in super::super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Cause> {
        let (value, rest) = ::postcard::take_from_bytes(bytes)?;
        if rest.is_empty() { Ok(value) } else { Err(LEFT_OVER.into()) }
    }
}

#[cfg(feature = "json")]
pub(super) mod json {
    use super::*;

    pub(in super::super) fn write<T: Serialize>(value: &T, to: &mut Bounded) -> Result<(), Cause> {
        Ok(serde_json::to_writer(to, value)?)
    }

    pub(in super::super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Cause> {
        Ok(serde_json::from_slice(bytes)?)
    }
}

#[cfg(feature = "messagepack")]
pub(super) mod messagepack {
    use super::*;
    use rmp_serde::decode::Error;
    use rmp_serde::{Deserializer, Serializer};
    use serde::Deserialize;

    pub(in super::super) fn write<T: Serialize>(value: &T, to: &mut Bounded) -> Result<(), Cause> {
        value.serialize(&mut Serializer::new(to).with_struct_map())?;
        Ok(())
    }

    pub(in super::super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Cause> {
        let mut from = Deserializer::from_read_ref(bytes);
        let value = T::deserialize(&mut from)?;
        // Only at the end is there no mark of a next value.
        match bool::deserialize(&mut from) {
            Err(Error::InvalidMarkerRead(_)) => Ok(value),
            _ => Err(LEFT_OVER.into()),
        }
    }
}
