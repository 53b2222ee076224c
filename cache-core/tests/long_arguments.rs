//! The key of a huge argument needs little memory beside the argument.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

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

/// Text of `bytes` bytes that differs from number to number.
fn text(number: usize, bytes: usize) -> String {
    let mut text = number.to_string();
    text.push_str(&"x".repeat(bytes.saturating_sub(text.len())));
    text
}

#[test]
fn maps_and_sets_of_long_texts() {
    let long = LARGE / 100;
    let sorted: BTreeMap<_, _> = (0..100).map(|n| (n, text(n, long))).collect();
    check(&sorted);
    check(&HashMap::<_, _>::from_iter(sorted));
    check(&(0..100).map(|n| (text(n, long), n)).collect::<BTreeMap<_, _>>());
    check(&(0..100).map(|n| text(n, long)).collect::<HashSet<_>>());
    check(&HashMap::from([("only", "a".repeat(LARGE))]));
}

#[test]
fn maps_and_sets_of_many_short_entries() {
    let many = 200_000;
    check(&(0..many).map(|n| (n, n)).collect::<HashMap<_, _>>());
    check(&(0..many).map(|n| text(n, 10)).collect::<HashSet<_>>());
    check(&(0..many).map(|n| n % 256).collect::<BinaryHeap<_>>());
    check(&vec![HashMap::from([(1, 2)]); many]);
}

/// A list-like set has an order, and is written as it comes.
#[test]
fn a_sorted_set() {
    check(&(0..LARGE / 16).collect::<BTreeSet<_>>());
}

#[test]
fn maps_in_maps() {
    type Inner = HashMap<String, Vec<u8>>;
    let inner = |of: usize| (0..of).map(|n| (text(n, 10_000), vec![b'a'; 10_000])).collect();
    check(&(0..10).map(|n| (n, inner(200))).collect::<HashMap<usize, Inner>>());
    check(&(0..1000).map(|n| (n, inner(2))).collect::<BTreeMap<usize, Inner>>());

    #[derive(Serialize)]
    struct Deep(String, HashMap<usize, Self>);
    let deep = (0..40).fold(None, |inner: Option<Deep>, n| {
        let beside = (1..200).map(|n| (n, Deep(text(n, 100), HashMap::new())));
        Some(Deep(
            text(n, LARGE / 100),
            inner.into_iter().map(|one| (0, one)).chain(beside).collect(),
        ))
    });
    check(&deep);
}

/// The measurement itself sees a copy.
#[test]
fn a_copy_would_be_noticed() {
    let text = "a".repeat(LARGE);
    let used = measure(|| drop(std::hint::black_box(text.clone())));
    assert!(used.bytes_max >= LARGE as u64);
}
