//! The stored form of a value: a fixed header, a tail for fields of later versions, the payload.
//!
//! All numbers are little-endian.
//!
//! | offset | bytes | field |
//! | ---: | ---: | --- |
//! | 0 | 4 | magic `HERD` (the same in every format version) |
//! | 4 | 1 | format version (the same place in every format version) |
//! | 5 | 1 | codec: 1 bincode, 2 JSON, 3 postcard, 4 MessagePack |
//! | 6 | 1 | compression: 0 none, 1 zstd after four bytes of unpacked length |
//! | 7 | 1 | flags: bit 0 load cost known |
//! | 8 | 8 | physical end, server ms (the same place in every format version) |
//! | 16 | 8 | shape id |
//! | 24 | 16 | digest of the key |
//! | 40 | 8 | generation |
//! | 48 | 8 | begun-at, server µs: with the key, the entry's version |
//! | 56 | 8 | stored-at, server µs |
//! | 64 | 8 | fresh-for, µs (drawn) |
//! | 72 | 8 | grace, µs |
//! | 80 | 8 | stale-if-error, µs |
//! | 88 | 8 | load cost, µs (smoothed) |
//! | 96 | 4 | payload length |
//! | 100 | 4 | tail length |
//! | 104 | 8 | checksum over everything else |
//! | 112 | | tail, then payload |
//!
//! Whatever does not match exactly is a miss with a cause, never an error and never another value.

use std::time::Duration;

use crate::clock::{Timestamp, micros};
use crate::codec::{Codec, Coding, Compression, Value};
use crate::store::{Generation, Shape};
use crate::strategy::Times;

/// Bytes before tail and payload.
pub const HEADER: usize = 112;
/// The format this version writes and reads.
pub const FORMAT: u8 = 1;
const MAGIC: &[u8; 4] = b"HERD";
const COST_KNOWN: u8 = 1;
const CHECKSUM: usize = 104;
/// A stamp further ahead than this is not believed.
const AHEAD: Duration = Duration::from_secs(1);
/// An entry stays readable this long whatever its ttl, for those who waited for it.
const LINGER: Duration = Duration::from_secs(1);

/// Everything an entry says about its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How the payload is written.
    pub codec: Codec,
    /// How it is packed.
    pub compression: Compression,
    /// Shape of the value type.
    pub shape: Shape,
    /// The generation the load ran under.
    pub generation: Generation,
    /// When it was made and how long it lives.
    pub times: Times,
}

/// Why stored bytes are not an entry for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// Another format version, compression or codec, or another value shape.
    Shape,
    /// Cut, edited, or written under another key.
    Corrupt,
    /// Stamped in the future.
    Ahead,
}

impl Head {
    /// When the store may drop the entry.
    #[must_use]
    pub fn end(&self) -> Timestamp {
        let Times { stored, fresh_for, grace, stale_if_error, .. } = self.times;
        stored.after(fresh_for.saturating_add(grace.max(stale_if_error)).max(LINGER))
    }

    /// The entry's bytes.
    #[must_use]
    pub fn seal(&self, key: &str, payload: &[u8]) -> Vec<u8> {
        let Times { begun, stored, fresh_for, grace, stale_if_error, cost } = self.times;
        let flags = u8::from(cost.is_some()) * COST_KNOWN;
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[FORMAT, self.codec.id(), self.compression.id(), flags]);
        bytes.extend_from_slice(&(self.end().as_micros().div_ceil(1000)).to_le_bytes());
        bytes.extend_from_slice(&self.shape.0.to_le_bytes());
        bytes.extend_from_slice(&digest(key));
        bytes.extend_from_slice(&self.generation.0);
        bytes.extend_from_slice(&begun.as_micros().to_le_bytes());
        bytes.extend_from_slice(&stored.as_micros().to_le_bytes());
        for span in [fresh_for, grace, stale_if_error, cost.unwrap_or_default()] {
            bytes.extend_from_slice(&micros(span).to_le_bytes());
        }
        bytes.extend_from_slice(&u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&0_u32.to_le_bytes());
        bytes.extend_from_slice(&checksum(&bytes, payload));
        bytes.extend_from_slice(payload);
        bytes
    }
}

/// Reads an entry's head and payload. Everything is checked before anybody decodes the payload.
///
/// # Errors
/// The cause, where the bytes are not an intact entry of this key and shape.
pub fn open<'a>(
    key: &str,
    shape: Shape,
    now: Timestamp,
    bytes: &'a [u8],
) -> Result<(Head, &'a [u8]), Unreadable> {
    let (head, payload) = unseal(key, bytes)?;
    if head.shape != shape {
        return Err(Unreadable::Shape);
    }
    if head.times.stored.max(head.times.begun) > now.after(AHEAD) {
        return Err(Unreadable::Ahead);
    }
    Ok((head, payload))
}

/// Reads an entry's value. An entry of a codec or compression that is not compiled in has another
/// shape as far as this process can tell.
pub(crate) fn read(
    coding: &dyn Coding,
    key: &str,
    shape: Shape,
    now: Timestamp,
    bytes: &[u8],
) -> Result<(Value, Times), Unreadable> {
    let (head, payload) = open(key, shape, now, bytes)?;
    if !head.codec.is_available() || !head.compression.is_available() {
        return Err(Unreadable::Shape);
    }
    let payload = head.compression.unpack(payload).ok_or(Unreadable::Corrupt)?;
    let value = coding.decode(&payload, head.codec).map_err(|_| Unreadable::Corrupt)?;
    Ok((value, head.times))
}

/// Reads an intact entry of any shape and time.
///
/// # Errors
/// As [`open`], [`Unreadable::Ahead`] apart.
pub fn unseal<'a>(key: &str, bytes: &'a [u8]) -> Result<(Head, &'a [u8]), Unreadable> {
    let (header, rest) = bytes.split_at_checked(HEADER).ok_or(Unreadable::Corrupt)?;
    if &header[..4] != MAGIC {
        return Err(Unreadable::Corrupt);
    }
    if header[4] != FORMAT {
        return Err(Unreadable::Shape);
    }
    let (payload, tail) = (number::<4>(header, 96) as usize, number::<4>(header, 100) as usize);
    if tail.checked_add(payload) != Some(rest.len()) {
        return Err(Unreadable::Corrupt);
    }
    if header[CHECKSUM..] != checksum(&header[..CHECKSUM], rest) || header[24..40] != digest(key) {
        return Err(Unreadable::Corrupt);
    }
    let codec = Codec::from_id(header[5]).ok_or(Unreadable::Shape)?;
    let compression = Compression::from_id(header[6]).ok_or(Unreadable::Shape)?;
    Ok((head(header, codec, compression), &rest[tail..]))
}

fn head(header: &[u8], codec: Codec, compression: Compression) -> Head {
    let span = |at| Duration::from_micros(number::<8>(header, at));
    let mut generation = Generation::NONE;
    generation.0.copy_from_slice(&header[40..48]);
    Head {
        codec,
        compression,
        shape: Shape(number::<8>(header, 16)),
        generation,
        times: Times {
            begun: Timestamp::from_micros(number::<8>(header, 48)),
            stored: Timestamp::from_micros(number::<8>(header, 56)),
            fresh_for: span(64),
            grace: span(72),
            stale_if_error: span(80),
            cost: (header[7] & COST_KNOWN != 0).then(|| span(88)),
        },
    }
}

fn number<const N: usize>(header: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..N].copy_from_slice(&header[at..at + N]);
    u64::from_le_bytes(bytes)
}

fn digest(key: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(key.as_bytes()).as_bytes()[..16]);
    short
}

fn checksum(before: &[u8], after: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before);
    hasher.update(after);
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    short
}

#[cfg(test)]
mod tests;
