//! The key of a huge argument needs little memory beside the argument.

use allocation_counter::measure;
use cache_core::{Key, KeyWriter};
use serde::{Serialize, Serializer};

const MIB: u64 = 1024 * 1024;

/// Bytes of an argument in memory, or of the text it is written as.
const LARGE: usize = 100 * 1024 * 1024;

/// Bytes as `serde_bytes` passes them on.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

#[derive(Serialize)]
struct Order {
    id: u64,
    notes: Option<Vec<Note>>,
    end: &'static str,
}

#[derive(Serialize)]
enum Note {
    Short(char),
    Long { text: String, of: (u8, f64) },
}

/// Writes the argument as it is and as a secret.
fn check<T: Serialize>(argument: &T) {
    let keys: [fn(KeyWriter, &T) -> KeyWriter; 2] = [
        |key, argument| key.arg(&"a".repeat(600)).arg(argument),
        |key, argument| key.arg("x").text(":").digest(argument).arg(&1),
    ];
    for (number, key) in keys.into_iter().enumerate() {
        let mut length = 0;
        let used = measure(|| {
            let key = key(Key::for_function("shop::import"), argument).finish();
            assert!(key.is_sound());
            length = key.as_str().len();
        });
        assert!(length <= Key::LONGEST, "{length} bytes of key");
        assert!(used.bytes_max < MIB, "key {number} took {} bytes", used.bytes_max);
    }
}

#[test]
fn one_text() {
    check(&"é\"".repeat(LARGE / 12));
    check(&"a".repeat(LARGE));
}

#[test]
fn bytes() {
    check(&Bytes(vec![0xab; LARGE]));
}

#[test]
fn numbers() {
    check(&vec![200_u8; LARGE / 4]);
}

#[test]
fn many_texts() {
    check(&vec!["line of a file".repeat(4); LARGE / 56]);
}

#[test]
fn a_nested_struct() {
    let long = || Note::Long { text: "x".repeat(LARGE / 100), of: (1, 0.5) };
    let notes = (0..100).flat_map(|_| [Note::Short('é'), long()]).collect();
    check(&Order { id: 1, notes: Some(notes), end: "end" });
}

/// The measurement itself sees a copy.
#[test]
fn a_copy_would_be_noticed() {
    let text = "a".repeat(LARGE);
    let used = measure(|| drop(std::hint::black_box(text.clone())));
    assert!(used.bytes_max >= LARGE as u64);
}
