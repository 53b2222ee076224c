//! Every codec at hand: what it writes, what it refuses, where it ends.

use std::collections::BTreeMap;

use allocation_counter::measure;

use super::*;

fn at_hand() -> impl Iterator<Item = Codec> {
    Codec::ALL.into_iter().filter(|codec| codec.is_available())
}

fn written<T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static>(
    value: &T,
    codec: Codec,
    limit: usize,
) -> Result<Encoded, Error> {
    encode(&Serde::<T>(PhantomData), &(Arc::new(value.clone()) as Value), codec, limit)
}

#[test]
fn numbers_of_codecs_and_compressions_are_unique_and_known() {
    for codec in Codec::ALL {
        assert_eq!(Codec::from_id(codec.id()), Some(codec));
    }
    for compression in [Compression::None, Compression::Zstd] {
        assert_eq!(Compression::from_id(compression.id()), Some(compression));
    }
    assert_eq!((Codec::from_id(0), Codec::from_id(5), Compression::from_id(2)), (None, None, None));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Point {
    x: u16,
    y: Option<String>,
}

/// Another payload for the same value would be misread by processes that are running.
#[test]
fn payloads_are_what_they_were() {
    let point = Point { x: 300, y: Some("é".to_owned()) };
    for codec in at_hand() {
        let payload = written(&point, codec, LARGEST).unwrap().payload;
        let expected: &[u8] = match codec {
            Codec::Bincode => b"\xfb\x2c\x01\x01\x02\xc3\xa9",
            Codec::Json => "{\"x\":300,\"y\":\"é\"}".as_bytes(),
            Codec::Postcard => b"\xac\x02\x01\x02\xc3\xa9",
            Codec::MessagePack => b"\x82\xa1x\xcd\x01\x2c\xa1y\xa2\xc3\xa9",
        };
        assert_eq!(payload, expected, "{codec:?}");
    }
}

#[test]
fn every_codec_gives_ordinary_values_back() {
    for codec in at_hand() {
        let value = BTreeMap::from([("a".to_owned(), vec![Some((1_i64, 2.5)), None])]);
        let encoded = written(&value, codec, LARGEST).unwrap();
        assert_eq!(encoded.codec, codec);
        assert_eq!(encoded.value.downcast_ref(), Some(&value));
    }
}

#[cfg(any(feature = "json", feature = "messagepack"))]
#[test]
fn what_asks_for_anything_is_written_self_describing() {
    for codec in at_hand() {
        for value in [Untagged::Number(7), Untagged::Text("x".to_owned())] {
            let encoded = written(&value, codec, LARGEST).unwrap();
            assert_eq!(encoded.value.downcast_ref(), Some(&value), "{codec:?}");
            assert!(!encoded.codec.is_positional());
        }
        // Nothing shows it in this value.
        let encoded = written(&Vec::<Option<Untagged>>::new(), codec, LARGEST).unwrap();
        assert!(!encoded.codec.is_positional(), "{codec:?}");
    }
}

#[test]
fn what_takes_more_than_the_limit_is_refused_and_what_takes_as_much_is_not() {
    for codec in at_hand() {
        let value = "x".repeat(1000);
        let length = written(&value, codec, LARGEST).unwrap().payload.len();
        assert!(written(&value, codec, length).is_ok());
        let refused = written(&value, codec, length - 1).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::TooLarge, "{codec:?}");
        assert!(refused.to_string().contains(&(length - 1).to_string()), "{refused}");
    }
}

/// Casebook C04: 64 MiB under a limit of one.
#[test]
fn c04_a_huge_value_is_given_up_while_it_is_written() {
    const MIB: usize = 1 << 20;
    let lines: Value = Arc::new(vec!["line".repeat(256); 64 * MIB / 1024]);
    let coding = Serde::<Vec<String>>(PhantomData);
    for codec in at_hand() {
        let mut kind = None;
        let used = measure(|| {
            kind = encode(&coding, &lines, codec, MIB).err().map(|error| error.kind());
        });
        assert_eq!(kind, Some(ErrorKind::TooLarge), "{codec:?}");
        println!("{codec:?}: {} bytes at most", used.bytes_max);
        assert!(used.bytes_max < 2 * MIB as u64, "{codec:?}: {}", used.bytes_max);
    }
}

#[test]
fn packing_is_for_what_is_large_and_gets_smaller() {
    let packs = |payload: &[u8], above| pack(payload.to_vec(), above).1;
    let zstd = if cfg!(feature = "zstd") { Compression::Zstd } else { Compression::None };
    assert_eq!(packs(&[7; 1001], Some(1000)), zstd);
    assert_eq!(packs(&[7; 1000], Some(1000)), Compression::None);
    assert_eq!(packs(&[7; 1001], None), Compression::None);
    let noise: Vec<u8> =
        (0_u32..64).map(|n| blake3::hash(&n.to_le_bytes()).as_bytes()[0]).collect();
    assert_eq!(packs(&noise, Some(0)), Compression::None);
    let (packed, compression) = pack(vec![7; 100_000], Some(0));
    assert_eq!(compression.unpack(&packed).as_deref(), Some(&[7; 100_000][..]));
}
