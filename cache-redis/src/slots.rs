//! Where a cluster keeps what: the slot of a key and the primary of a slot.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;

use redis::Value;

/// A primary: `host:port`.
pub(crate) type Place = Arc<str>;

const SLOTS: u16 = 16_384;

/// The slot of a key: of its tag, where it has one.
pub(crate) fn slot(key: &str) -> u16 {
    let key = key.as_bytes();
    let after = |byte: u8, from: usize| {
        key[from..].iter().position(|&one| one == byte).map(|found| from + found)
    };
    let tag = after(b'{', 0).and_then(|open| {
        let close = after(b'}', open + 1)?;
        (close > open + 1).then(|| &key[open + 1..close])
    });
    crc16(tag.unwrap_or(key)) % SLOTS
}

/// CRC-16/XMODEM.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, &byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}

/// Who serves which slots.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Map(Vec<Range>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Range {
    first: u16,
    last: u16,
    primary: Place,
}

impl Map {
    /// Reads the reply to `CLUSTER SLOTS`, which `asked` gave.
    pub(crate) fn read(reply: Value, asked: &str) -> Option<Self> {
        let Value::Array(ranges) = reply else { return None };
        let mut ranges: Vec<Range> =
            ranges.into_iter().map(|range| read_range(range, asked)).collect::<Option<_>>()?;
        ranges.sort_unstable_by_key(|range| range.first);
        Some(Self(ranges))
    }

    pub(crate) fn primary(&self, slot: u16) -> Option<&Place> {
        let after = self.0.partition_point(|range| range.first <= slot);
        let range = self.0[..after].last()?;
        (slot <= range.last).then_some(&range.primary)
    }

    /// A number for it within this process.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// Every primary, some of them more than once.
    pub(crate) fn primaries(&self) -> impl Iterator<Item = &Place> {
        self.0.iter().map(|range| &range.primary)
    }
}

/// First slot, last slot, the primary, and replicas that do not matter to us.
fn read_range(range: Value, asked: &str) -> Option<Range> {
    let Value::Array(parts) = range else { return None };
    let [Value::Int(first), Value::Int(last), Value::Array(primary), ..] = &parts[..] else {
        return None;
    };
    let (host, port) = match &primary[..] {
        [Value::BulkString(host), Value::Int(port), ..] => (std::str::from_utf8(host).ok()?, port),
        [Value::Nil, Value::Int(port), ..] => ("", port),
        _ => return None,
    };
    let primary = place(&format!("{host}:{port}"), asked)?;
    Some(Range { first: u16::try_from(*first).ok()?, last: u16::try_from(*last).ok()?, primary })
}

/// The place a server calls `address`. One that does not know its own name leaves the host out.
pub(crate) fn place(address: &str, asked: &str) -> Option<Place> {
    let (host, port) = host_and_port(address)?;
    match host {
        "?" => None,
        "" => Some(format!("{}:{port}", host_and_port(asked)?.0).into()),
        host => Some(format!("{host}:{port}").into()),
    }
}

/// Host and port of a place.
pub(crate) fn host_and_port(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    Some((host.trim_start_matches('[').trim_end_matches(']'), port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        // The vector of the Redis Cluster specification, and what servers answer to KEYSLOT.
        assert_eq!(crc16(b"123456789"), 0x31C3);
        assert_eq!(slot("foo"), 12_182);
        assert_eq!(slot("{foo}:lease"), slot("foo"));
        assert_eq!(slot("a{foo}{bar}"), slot("foo"));
        assert_eq!(slot("{}foo"), crc16(b"{}foo") % SLOTS);
        assert_eq!(slot("foo{"), crc16(b"foo{") % SLOTS);
    }

    fn range(first: i64, last: i64, host: &str, port: i64) -> Value {
        let node =
            |host: &str, port| Value::Array(vec![Value::BulkString(host.into()), Value::Int(port)]);
        let nodes = [Value::Int(first), Value::Int(last), node(host, port), node("replica", 1)];
        Value::Array(nodes.to_vec())
    }

    #[test]
    fn each_slot_has_the_primary_of_its_range() {
        let reply = [range(8000, 16_383, "::1", 7001), range(0, 5000, "", 7000)];
        let map = Map::read(Value::Array(reply.to_vec()), "here:1").unwrap();
        let primary = |slot| map.primary(slot).map(|place| &**place);
        assert_eq!(primary(0), Some("here:7000"));
        assert_eq!(primary(5000), Some("here:7000"));
        assert_eq!(primary(5001), None);
        assert_eq!(primary(7999), None);
        assert_eq!(primary(16_383), Some("::1:7001"));
        assert_eq!(host_and_port("::1:7001"), Some(("::1", 7001)));
        assert_eq!(map.primaries().count(), 2);
        assert!(Map::read(Value::Nil, "here:1").is_none());
    }
}
