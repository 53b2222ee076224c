//! Values of one type whose parts look alike: an untagged enum writes no name of its own, so what it
//! holds stands beside text, numbers and other names.

use std::collections::HashMap;

use herdless::Key;
use serde::Serialize;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Known {
    InStock,
    #[serde(rename = "1")]
    One,
    #[serde(rename = "none")]
    None,
    #[serde(rename = "true")]
    True,
    #[serde(rename = "some")]
    Some(u8),
    #[serde(rename = "nan")]
    Nan(u8),
    #[serde(rename = "0x00")]
    Zero,
    #[serde(rename = "word")]
    Word,
}

#[derive(Debug, Clone, Serialize)]
enum Other {
    #[serde(rename = "word")]
    Word,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename = "word")]
struct Word;

#[derive(Debug, Clone)]
struct Bytes;

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&[0])
    }
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Filter {
    Known(Known),
    Other(Other),
    Word(Word),
    Text(String),
    Number(u32),
    Float(f32),
    Maybe(Option<u8>),
    Flag(bool),
    Bytes(Bytes),
}

fn filters() -> Vec<Filter> {
    use Filter as F;
    let known = [
        Known::InStock,
        Known::One,
        Known::None,
        Known::True,
        Known::Some(1),
        Known::Nan(1),
        Known::Zero,
        Known::Word,
    ];
    let text = ["in-stock", "1", "none", "true", "some(1)", "0x00", "word", "Known.word", ".word"];
    let known = known.map(F::Known).into_iter();
    let text = text.map(|text| F::Text(text.to_owned()));
    let rest = [
        F::Other(Other::Word),
        F::Word(Word),
        F::Number(1),
        F::Float(f32::NAN),
        F::Maybe(None),
        F::Maybe(Some(1)),
        F::Flag(true),
        F::Bytes(Bytes),
    ];
    known.chain(text).chain(rest).collect()
}

#[test]
fn what_looks_alike_has_keys_of_its_own() {
    let mut seen = HashMap::new();
    for filter in filters() {
        let key = Key::for_function("f").arg(&filter).finish().as_str().to_owned();
        if let Some(other) = seen.insert(key.clone(), filter.clone()) {
            panic!("{key} is the key of {other:?} and of {filter:?}");
        }
    }
    assert_eq!(seen.len(), 25);
}
