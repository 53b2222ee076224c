//! Large payloads made smaller. A compressed payload begins with its length when unpacked, which
//! bounds what reading it may take.

use std::borrow::Cow;

use super::LARGEST;

/// How a payload is packed. An entry names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// As it was written.
    None,
    /// Zstandard, after four bytes of length.
    Zstd,
}

impl Compression {
    /// The number that stands in an entry.
    #[must_use]
    pub const fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Zstd => 1,
        }
    }

    /// The compression with this number.
    #[must_use]
    pub const fn from_id(id: u8) -> Option<Self> {
        match id {
            0 => Some(Self::None),
            1 => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Whether it is compiled in.
    #[must_use]
    pub const fn is_available(self) -> bool {
        match self {
            Self::None => true,
            Self::Zstd => cfg!(feature = "zstd"),
        }
    }

    /// The payload as it was written. `None` where it is not what it says, or longer than
    /// [`LARGEST`].
    pub(crate) fn unpack(self, payload: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::None => Some(Cow::Borrowed(payload)),
            Self::Zstd => {
                let (length, packed) = payload.split_first_chunk()?;
                let length = u32::from_le_bytes(*length) as usize;
                let bytes = (length <= LARGEST).then(|| unzstd(packed, length))??;
                (bytes.len() == length).then_some(Cow::Owned(bytes))
            }
        }
    }
}

/// A payload of more than `above` bytes, packed where that makes it smaller.
pub(crate) fn pack(payload: Vec<u8>, above: Option<usize>) -> (Vec<u8>, Compression) {
    let packed = above.filter(|above| payload.len() > *above).and_then(|_| zstd(&payload));
    match packed {
        Some(packed) if packed.len() < payload.len() => (packed, Compression::Zstd),
        _ => (payload, Compression::None),
    }
}

#[cfg(feature = "zstd")]
fn zstd(payload: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok()?.to_le_bytes();
    let packed = ::zstd::bulk::compress(payload, ::zstd::DEFAULT_COMPRESSION_LEVEL).ok()?;
    Some([&length[..], &packed].concat())
}

#[cfg(feature = "zstd")]
fn unzstd(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    ::zstd::bulk::decompress(packed, length).ok()
}

#[cfg(not(feature = "zstd"))]
const fn zstd(_: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(not(feature = "zstd"))]
const fn unzstd(_: &[u8], _: usize) -> Option<Vec<u8>> {
    None
}
