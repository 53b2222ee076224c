//! Stored bytes that are not what was stored: a miss, no panic, no memory. Casebook C02 and C03.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use allocation_counter::measure;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::*;
use crate::codec::{self, LARGEST, Serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<String>,
    by_name: BTreeMap<String, Option<f64>>,
}

type Orders = Vec<Order>;

const CODING: Serde<Orders> = Serde(PhantomData);

fn orders() -> Orders {
    let order = |id| Order {
        id,
        lines: vec!["a line of text".to_owned(); 3],
        by_name: BTreeMap::from([("price".to_owned(), Some(12345.5)), (String::new(), None)]),
    };
    (0..3).map(order).collect()
}

/// Entries of the same value, one for each codec at hand, plain and packed.
fn entries() -> impl Iterator<Item = (Head, Vec<u8>)> {
    let codecs = Codec::ALL.into_iter().filter(|codec| codec.is_available());
    codecs.flat_map(|codec| [None, Some(0)].map(|above| entry(codec, above)))
}

fn entry(codec: Codec, above: Option<usize>) -> (Head, Vec<u8>) {
    let value: Value = Arc::new(orders());
    let encoded = codec::encode(&CODING, &value, codec, LARGEST).unwrap();
    assert_eq!(encoded.codec, codec);
    let (payload, compression) = codec::pack(encoded.payload, above);
    let packed = above.is_some() && cfg!(feature = "zstd");
    assert_eq!(compression, if packed { Compression::Zstd } else { Compression::None });
    let head = Head { codec, compression, ..sample() };
    (head, head.seal(KEY, &payload))
}

fn reads(head: &Head, bytes: &[u8]) -> Result<Orders, Unreadable> {
    let (value, _) = read(&CODING, KEY, head.shape, head.times.stored, bytes)?;
    Ok(value.downcast_ref::<Orders>().unwrap().clone())
}

/// A miss, at the price of next to nothing: the peak.
#[track_caller]
fn misses(head: &Head, bytes: &[u8]) -> u64 {
    let mut found = None;
    let used = measure(|| found = Some(reads(head, bytes)));
    assert!(found.unwrap().is_err(), "{head:?}");
    assert!(used.bytes_max < 4096, "{} bytes", used.bytes_max);
    used.bytes_max
}

/// The bytes with something done to them; not always something else.
fn edited(bytes: &[u8], random: &mut StdRng) -> Vec<u8> {
    let mut edited = bytes.to_vec();
    for _ in 0..random.random_range(1..4) {
        edited.resize(edited.len().max(1), 0);
        let at = random.random_range(0..edited.len());
        match random.random_range(0..6) {
            0 => edited[at] = random.random(),
            1 => edited[at] ^= 1 << random.random_range(0..8),
            2 => drop(edited.remove(at)),
            3 => edited.insert(at, random.random()),
            4 => edited[at] = 0xff,
            _ => edited.truncate(at.max(1)),
        }
    }
    edited
}

#[test]
fn an_intact_entry_of_every_codec_reads_back() {
    for (head, bytes) in entries() {
        assert_eq!(reads(&head, &bytes).as_ref(), Ok(&orders()), "{head:?}");
    }
}

#[test]
fn c03_every_prefix_and_every_longer_form_is_a_miss() {
    for (head, bytes) in entries() {
        for end in 0..bytes.len() {
            misses(&head, &bytes[..end]);
        }
        for more in [&[0][..], &[0xff], b"12", &bytes] {
            misses(&head, &[&bytes, more].concat());
        }
    }
}

#[test]
fn c02_every_single_byte_edit_is_a_miss() {
    for (head, bytes) in entries() {
        for at in 0..bytes.len() {
            for byte in [0x00, 0xff, bytes[at] ^ 0x01, bytes[at] ^ 0x80, bytes[at].wrapping_add(1)]
            {
                let mut edited = bytes.clone();
                edited[at] = byte;
                if edited != bytes {
                    misses(&head, &edited);
                }
            }
            let mut shorter = bytes.clone();
            shorter.remove(at);
            misses(&head, &shorter);
        }
    }
}

#[test]
fn c02_ten_thousand_random_edits_are_misses() {
    let mut random = StdRng::seed_from_u64(7);
    let mut most = 0;
    for (head, bytes) in entries() {
        for _ in 0..10_000 {
            let edited = edited(&bytes, &mut random);
            if edited != bytes {
                most = most.max(misses(&head, &edited));
            }
        }
    }
    println!("an edited entry takes {most} bytes at most");
}

/// No checksum in the way: what somebody with access to the store could write. The decoders may
/// then find a value, but neither panic nor take more memory than two values of the largest size.
#[test]
fn c02_decoders_alone_take_no_more_memory_than_two_large_values() {
    let mut random = StdRng::seed_from_u64(8);
    let mut most = 0;
    for (head, bytes) in entries() {
        let payload = &bytes[HEADER..];
        for round in 0..10_000 {
            let payload = match round % 10 {
                0 => (0..payload.len()).map(|_| random.random()).collect(),
                _ => edited(payload, &mut random),
            };
            let sealed = head.seal(KEY, &payload);
            let used = measure(|| drop(reads(&head, &sealed)));
            assert!(used.bytes_max < 2 * LARGEST as u64, "{} bytes", used.bytes_max);
            most = most.max(used.bytes_max);
        }
    }
    println!("a forged entry takes {most} bytes at most");
}

/// The largest entry there may be, intact: its bytes are there already.
#[test]
fn c04_reading_the_largest_value_stays_under_twice_the_limit() {
    let coding = Serde::<String>(PhantomData);
    let value: Value = Arc::new("x".repeat(LARGEST - 4096));
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        for above in [None, Some(0)] {
            let encoded = codec::encode(&coding, &value, codec, LARGEST).unwrap();
            let (payload, compression) = codec::pack(encoded.payload, above);
            let head = Head { codec, compression, ..sample() };
            let sealed = head.seal(KEY, &payload);
            let mut found = None;
            let used = measure(|| {
                found = read(&coding, KEY, head.shape, head.times.stored, &sealed).ok();
            });
            let (value, _) = found.unwrap();
            assert_eq!(value.downcast_ref::<String>().map(String::len), Some(LARGEST - 4096));
            println!("{codec:?} {compression:?}: {} bytes at most", used.bytes_max);
            assert!(used.bytes_max < 2 * LARGEST as u64, "{codec:?}: {}", used.bytes_max);
        }
    }
}

/// A packed payload that says more of itself than is there, or than anything may be.
#[cfg(feature = "zstd")]
#[test]
fn c02_a_packed_payload_cannot_claim_memory() {
    let (head, bytes) = entry(Codec::DEFAULT, Some(0));
    let payload = &bytes[HEADER..];
    for claim in [0, 1, LARGEST as u32, LARGEST as u32 + 1, u32::MAX] {
        let forged = head.seal(KEY, &[&claim.to_le_bytes()[..], &payload[4..]].concat());
        let mut found = None;
        let used = measure(|| found = Some(reads(&head, &forged)));
        assert_eq!(found.unwrap(), Err(Unreadable::Corrupt), "{claim}");
        assert!(used.bytes_max < 2 * LARGEST as u64, "{} bytes", used.bytes_max);
    }
    let nothing = head.seal(KEY, &[0; 3]);
    assert_eq!(reads(&head, &nothing), Err(Unreadable::Corrupt));
}

/// An entry by a version of this program that knows more: intact, and of no use here.
#[test]
fn c05_a_codec_or_compression_that_is_not_known_is_another_shape() {
    for (place, id) in [(5, 99), (6, 99), (4, FORMAT + 1)] {
        for (head, mut bytes) in entries() {
            bytes[place] = id;
            let sum = checksum(&bytes[..CHECKSUM], &bytes[HEADER..]);
            bytes[CHECKSUM..HEADER].copy_from_slice(&sum);
            assert_eq!(reads(&head, &bytes).unwrap_err(), Unreadable::Shape, "byte {place}");
        }
    }
}
