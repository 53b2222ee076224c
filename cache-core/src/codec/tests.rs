mod settings;

use std::collections::HashMap;

use serde::Deserialize;

use super::*;

fn round<T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static>(
    value: &T,
) -> Result<(T, Encoded), Error> {
    let encoded = encode(
        &Serde::<T>(PhantomData),
        &(Arc::new(value.clone()) as Value),
        Codec::DEFAULT,
        LARGEST,
    )?;
    let again = Serde::<T>(PhantomData).decode(&encoded.payload, encoded.codec)?;
    Ok((again.downcast_ref::<T>().unwrap().clone(), encoded))
}

/// A hit returns what the miss returned, for every way a type's serde can lie.
#[track_caller]
fn agrees<
    T: Serialize + DeserializeOwned + Clone + PartialEq + fmt::Debug + Send + Sync + 'static,
>(
    value: &T,
) -> Codec {
    let (hit, encoded) = round(value).unwrap();
    assert_eq!(Some(&hit), encoded.value.downcast_ref::<T>());
    encoded.codec
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sparse {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    first: Option<u8>,
    second: Option<u8>,
    #[serde(skip)]
    hidden: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Circle { radius: u8 },
}

#[cfg(all(feature = "bincode", feature = "json"))]
#[test]
fn types_that_positional_codecs_lie_about_are_written_as_json() {
    let sparse = |first| Sparse { first, second: Some(7), hidden: 0 };
    assert_eq!(agrees(&sparse(None)), Codec::Json);
    assert_eq!(agrees(&sparse(Some(1))), Codec::Bincode);
    assert_eq!(agrees(&Untagged::Text("x".into())), Codec::Json);
    assert_eq!(agrees(&Tagged::Circle { radius: 3 }), Codec::Json);
    assert_eq!(agrees(&serde_json::json!({"a": [1, null]})), Codec::Json);
    assert_eq!(agrees(&vec![Some(sparse(None))]), Codec::Json);
}

/// Written by the number 1, `Shown` would be read as `Last`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Gap {
    #[serde(skip)]
    #[expect(dead_code, reason = "its place is the point")]
    Hidden,
    Shown,
    Last,
    Aft,
}

/// `first` is written and `second` read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Crossed {
    #[serde(skip_deserializing)]
    first: u8,
    #[serde(skip_serializing, default)]
    second: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Aliased {
    #[serde(alias = "old", alias = "AAA")]
    First {
        #[serde(alias = "aaa", alias = "zzz")]
        number: u8,
        #[serde(rename = "type")]
        kind: u8,
    },
    #[serde(rename = "2nd")]
    Second(u8),
}

#[test]
fn what_is_read_in_another_order_is_not_written_by_position() {
    for codec in [Codec::Bincode, Codec::Postcard].into_iter().filter(|one| one.is_available()) {
        let coding = Serde::<Gap>(PhantomData);
        for value in [Gap::Shown, Gap::Last, Gap::Aft] {
            assert!(coding.encode(&(Arc::new(value) as Value), codec, LARGEST).is_err());
        }
        let crossed: Value = Arc::new(Crossed { first: 1, second: 2 });
        let coding = Serde::<Crossed>(PhantomData);
        assert!(coding.encode(&crossed, codec, LARGEST).is_err());
    }
}

#[test]
fn other_names_for_one_place_are_no_other_order() {
    assert_eq!(agrees(&Aliased::First { number: 1, kind: 2 }), Codec::DEFAULT);
    assert_eq!(agrees(&Aliased::Second(7)), Codec::DEFAULT);
}

#[cfg(feature = "json")]
#[test]
fn a_variant_after_a_hidden_one_is_itself_on_a_hit() {
    assert_eq!(agrees(&Gap::Shown), Codec::Json);
}

#[test]
fn a_skipped_field_is_what_a_hit_will_say_it_is() {
    let (hit, encoded) = round(&Sparse { first: Some(1), second: None, hidden: 9 }).unwrap();
    assert_eq!(hit.hidden, 0);
    assert_eq!(encoded.value.downcast_ref::<Sparse>(), Some(&hit));
}

#[test]
fn ordinary_types_use_the_default_codec() {
    assert_eq!(agrees(&(1_u8, "x".to_owned(), vec![Some(1.5)])), Codec::DEFAULT);
    assert_eq!(agrees(&HashMap::from([("a".to_owned(), 1)])), Codec::DEFAULT);
}

#[test]
fn what_no_codec_can_carry_is_an_error_of_its_own_kind() {
    #[derive(Clone)]
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    impl<'de> Deserialize<'de> for Broken {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Ok(Self)
        }
    }
    assert_eq!(round(&Broken).map(|_| ()).unwrap_err().kind(), ErrorKind::Unstorable);
    assert_eq!(
        round(&vec![0_u8; LARGEST + 1]).map(|_| ()).unwrap_err().kind(),
        ErrorKind::TooLarge
    );
}

#[test]
fn bytes_left_over_are_an_error() {
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        let coding = Serde::<u32>(PhantomData);
        let encoded = coding.encode(&(Arc::new(12_345_u32) as Value), codec, LARGEST).unwrap();
        for more in [0x00, 0x07, 0x91, 0xc1, 0xcc, 0xff] {
            let longer = [&encoded.payload[..], &[more]].concat();
            assert!(coding.decode(&longer, codec).is_err(), "{codec:?} {more:02x}");
        }
    }
}
