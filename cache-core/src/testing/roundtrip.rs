//! Whether values of a type come back from a store as they were.

use std::any::type_name;
use std::fmt::{Debug, Write};

use serde::{Serialize, de::DeserializeOwned};

use crate::codec::{Codec, LARGEST};
use crate::error::ErrorKind;
use crate::shape;

/// Checks that every codec at hand gives `value` back as it was; one test a type keeps a cache from
/// answering with something else than the function did.
///
/// Where a type is cached under one codec alone, [`assert_roundtrip_with`] asks that one.
///
/// ```
/// use cache_core::testing::assert_roundtrip;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// enum Shipping {
///     Pickup,
///     Parcel { grams: u32, notes: Vec<String> },
/// }
///
/// assert_roundtrip(&Shipping::Pickup);
/// assert_roundtrip(&Shipping::Parcel { grams: 1200, notes: vec!["fragile".to_owned()] });
/// ```
///
/// # Panics
/// Where a codec cannot carry the value, or gives another one back. The message says what to
/// change.
#[track_caller]
pub fn assert_roundtrip<T>(value: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        assert_roundtrip_with(codec, value);
    }
}

/// Checks that `codec` gives `value` back as it was.
///
/// ```
/// use cache_core::{Codec, testing::assert_roundtrip_with};
///
/// // Cached with `codec = "json"`: a `Value` takes whatever it is given.
/// assert_roundtrip_with(Codec::Json, &serde_json::json!({ "price": 42 }));
/// ```
///
/// # Panics
/// Where the codec cannot carry the value, or gives another one back.
#[track_caller]
pub fn assert_roundtrip_with<T>(codec: Codec, value: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    if let Err(why) = roundtrip(codec, value) {
        panic!("`{}` under {codec:?}: {why}", type_name::<T>());
    }
}

fn roundtrip<T>(codec: Codec, value: &T) -> Result<(), String>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    if codec.is_positional() {
        check_places::<T>()?;
    }
    let again = through(codec, value)?;
    if again != *value {
        return Err(format!(
            "it reads back as another value; a field under `#[serde(skip)]` is lost, and what \
             `serialize_with` writes `deserialize_with` has to undo\n  stored: {value:?}\n    \
             read: {again:?}"
        ));
    }
    if through(codec, &again)? != again {
        return Err(format!("each round changes it: {again:?}"));
    }
    Ok(())
}

/// Refuses types of which some place takes whatever it is given.
fn check_places<T: DeserializeOwned + 'static>() -> Result<(), String> {
    let report = shape::of::<T>();
    if !report.asks_any {
        return Ok(());
    }
    let mut why = "some of it takes whatever it is given, so its bytes must describe themselves \
                   (untagged and internally tagged enums, `flatten`, `serde_json::Value`); say \
                   `codec = \"json\"` at the function, or tag the enum otherwise"
        .to_owned();
    for place in &report.opaque {
        let _ = write!(why, "\n  {place}");
    }
    Err(why)
}

fn through<T: Serialize + DeserializeOwned + 'static>(
    codec: Codec,
    value: &T,
) -> Result<T, String> {
    let bytes = codec.encode(value, LARGEST).map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::TooLarge => "cache less of it, or its parts",
            _ if codec.is_positional() => {
                "write what is read (no `skip_serializing_if`), or say `codec = \"json\"` at the \
                 function"
            }
            _ => "its `Serialize` has to succeed; the keys of maps have to be texts in JSON",
        };
        format!("{}; {advice}", said(&error))
    })?;
    codec.decode(&bytes).map_err(|error| {
        format!("{}; its `Deserialize` has to read what its `Serialize` writes", said(&error))
    })
}

/// An error and what it came from.
fn said(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(all(test, feature = "bincode", feature = "json"))]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[track_caller]
    fn refused<T>(codec: Codec, value: &T, expected: &str)
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
    {
        let why = roundtrip(codec, value).unwrap_err();
        assert!(why.contains(expected), "{why}");
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sparse {
        #[serde(skip_serializing_if = "Option::is_none")]
        first: Option<u8>,
        second: Option<u8>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Text(String),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Skips {
        shown: Option<Untagged>,
        #[serde(skip)]
        hidden: u8,
    }

    #[test]
    fn what_comes_back_as_it_was_passes() {
        assert_roundtrip(&vec![(1_u8, Some("x".to_owned()))]);
        assert_roundtrip(&Sparse { first: Some(1), second: None });
        assert_roundtrip_with(Codec::Json, &Sparse { first: None, second: Some(1) });
        assert_roundtrip_with(Codec::Json, &Untagged::Text("x".to_owned()));
    }

    #[test]
    fn the_message_says_what_to_change() {
        let sparse = Sparse { first: None, second: Some(1) };
        refused(Codec::Bincode, &sparse, "the field `first` is left out");
        refused(Codec::Bincode, &sparse, "no `skip_serializing_if`");
        refused(Codec::Bincode, &Untagged::Text("x".to_owned()), "`codec = \"json\"`");
        refused(Codec::Bincode, &Skips { shown: None, hidden: 0 }, "opaque at shown: ");
        refused(Codec::Json, &Skips { shown: None, hidden: 1 }, "`#[serde(skip)]` is lost");
        refused(Codec::Json, &vec![0_u8; LARGEST], "cache less of it");
    }

    #[test]
    #[should_panic(expected = "Skips` under Bincode: some of it takes whatever it is given")]
    fn a_codec_that_cannot_carry_the_type_is_named() {
        assert_roundtrip(&Skips { shown: None, hidden: 0 });
    }
}
