//! What a store gives back is an intact entry of ours, or a miss: never a panic, never another
//! value.
#![no_main]

use std::collections::BTreeMap;
use std::time::Duration;

use arbitrary::Arbitrary;
use cache_core::entry::{Head, open, unseal};
use cache_core::store::{Generation, Shape};
use cache_core::strategy::Times;
use cache_core::testing::{decode, encode, pack, unpack};
use cache_core::{Codec, Compression, LARGEST, Timestamp};
use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, Serialize};

/// A value with a part of every kind.
#[derive(Debug, Clone, Arbitrary, Serialize, Deserialize, PartialEq)]
struct Stored {
    name: String,
    count: Option<i64>,
    kind: Kind,
    parts: Vec<(char, bool)>,
    by_name: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug, Clone, Arbitrary, Serialize, Deserialize, PartialEq)]
enum Kind {
    Plain,
    Wrapped(u128),
    Named { inner: Box<Option<Kind>>, weight: u32 },
}

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    /// What a store may give back, whatever it is.
    bytes: &'a [u8],
    value: Stored,
    codec: Coded,
    packed: bool,
    shape: u64,
    generation: [u8; 8],
    stamps: [u64; 2],
    spans: [u64; 3],
    cost: Option<u64>,
    now: u64,
    edit: Edit,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Coded {
    Bincode,
    Json,
    Postcard,
    MessagePack,
}

impl Coded {
    const ALL: [Self; 4] = [Self::Bincode, Self::Json, Self::Postcard, Self::MessagePack];

    fn codec(self) -> Codec {
        match self {
            Self::Bincode => Codec::Bincode,
            Self::Json => Codec::Json,
            Self::Postcard => Codec::Postcard,
            Self::MessagePack => Codec::MessagePack,
        }
    }
}

/// What may happen to stored bytes.
#[derive(Debug, Arbitrary)]
enum Edit {
    Flip { at: u16, with: u8 },
    Cut { at: u16 },
    More { bytes: Vec<u8> },
    Put { at: u16, bytes: Vec<u8> },
    Swap { one: u16, other: u16 },
}

const KEY: &str = "{shop:f:v1(80)}";

impl Edit {
    fn apply(&self, entry: &[u8]) -> Vec<u8> {
        let mut edited = entry.to_vec();
        let place = |at: u16| usize::from(at) % entry.len();
        match self {
            Self::Flip { at, with } => edited[place(*at)] ^= with,
            Self::Cut { at } => edited.truncate(place(*at)),
            Self::More { bytes } => edited.extend_from_slice(bytes),
            Self::Put { at, bytes } => {
                edited[place(*at)..].iter_mut().zip(bytes).for_each(|(old, new)| *old = *new);
            }
            Self::Swap { one, other } => edited.swap(place(*one), place(*other)),
        }
        edited
    }
}

fuzz_target!(|input: Input<'_>| {
    arbitrary_bytes(&input);

    let codec = input.codec.codec();
    // JSON is not read deeper than 128 levels, so nothing deeper is written.
    let Some(written) = encode(&input.value, codec) else { return };
    let plain = (written.clone(), Compression::None);
    let (payload, compression) = if input.packed { pack(plain.0) } else { plain };
    let (head, entry) = sealed(&input, codec, compression, &payload);

    let intact = unseal(KEY, &entry).expect("as it was sealed");
    assert_eq!(intact, (head, &payload[..]));
    let unpacked = unpack(intact.1, compression).expect("as it was packed");
    assert_eq!(unpacked, written);
    assert_eq!(decode::<Stored>(&unpacked, codec).as_ref(), Some(&input.value));
    assert!(unseal("{shop:f:v1(81)}", &entry).is_err(), "another key's entry");

    let edited = input.edit.apply(&entry);
    if edited != entry {
        assert!(unseal(KEY, &edited).is_err(), "an edited entry");
    }
});

/// Bytes of any origin: as an entry, and as a payload whose checksum was right.
fn arbitrary_bytes(input: &Input<'_>) {
    let (shape, now) = (Shape(input.shape), Timestamp::from_micros(input.now));
    if let Ok((head, payload)) = open(KEY, shape, now, input.bytes) {
        assert_eq!(head.seal(KEY, payload), input.bytes, "whatever is read was written by us");
    }
    if let Some(unpacked) = unpack(input.bytes, Compression::Zstd) {
        assert!(unpacked.len() <= LARGEST, "more than is ever stored");
    }
    for codec in Coded::ALL.map(Coded::codec) {
        if let Some(value) = decode::<Stored>(input.bytes, codec) {
            let again = encode(&value, codec).expect("it was read");
            assert_eq!(decode::<Stored>(&again, codec), Some(value));
        }
    }
}

fn sealed(
    input: &Input<'_>,
    codec: Codec,
    compression: Compression,
    payload: &[u8],
) -> (Head, Vec<u8>) {
    let [begun, stored] = input.stamps.map(Timestamp::from_micros);
    let [fresh_for, grace, stale_if_error] = input.spans.map(Duration::from_micros);
    let cost = input.cost.map(Duration::from_micros);
    let head = Head {
        codec,
        compression,
        shape: Shape(input.shape),
        generation: Generation(input.generation),
        times: Times { begun, stored, fresh_for, grace, stale_if_error, cost },
    };
    (head, head.seal(KEY, payload))
}
