//! Maps and sets that are too large to be held as text and sorted.

use std::collections::{BinaryHeap, HashSet};

use super::*;

/// A map that comes in the order of this list.
struct Listed<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Listed<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn key<T: Serialize>(value: T) -> Key {
    Key::for_function("f").arg(&value).finish()
}

fn is_sum(key: &Key) -> bool {
    key.as_str().starts_with("f:v1(<#") && key.as_str().len() == "f:v1(<#>)".len() + 64
}

/// Same entries, three orders: as they come, backwards, and begun in the middle.
fn orders<T: Clone>(entries: &[T]) -> [Vec<T>; 3] {
    let mut rotated = entries.to_vec();
    rotated.rotate_left(entries.len() / 2);
    [entries.to_vec(), entries.iter().rev().cloned().collect(), rotated]
}

#[test]
fn a_large_map_does_not_depend_on_its_order() {
    let long = |n: usize| (n, "x".repeat(n * n));
    let short = |n: usize| (n, n.to_string());
    for entries in [
        (0..20_000).map(short).collect::<Vec<_>>(),
        (0..300).map(long).collect(),
        [(0..100).map(short).collect::<Vec<_>>(), vec![(100, "x".repeat(1_000_000))]].concat(),
    ] {
        let keys = orders(&entries).map(|entries| key(Listed(entries)));
        assert!(is_sum(&keys[0]), "{}", keys[0]);
        assert!(keys.iter().all(|key| *key == keys[0]));
        assert_eq!(key(entries.iter().cloned().collect::<HashMap<_, _>>()), keys[0]);
        assert_eq!(key(entries.iter().cloned().collect::<BTreeMap<_, _>>()), keys[0]);
    }
}

/// Whether the text is held or not is decided by its length alone: around the limit, too.
#[test]
fn the_limit_does_not_depend_on_the_order() {
    let mut kinds = [0, 0];
    for last in (0..10_000).step_by(97) {
        let mut entries: Vec<_> = (0..60).map(|n| (n, "y".repeat(n * 70))).collect();
        entries.push((60, "z".repeat(last)));
        let keys = orders(&entries).map(|entries| key(Listed(entries)));
        assert!(keys.iter().all(|key| *key == keys[0]), "{last}");
        kinds[usize::from(is_sum(&keys[0]))] += 1;
    }
    assert!(kinds.iter().all(|many| *many > 20), "{kinds:?}");
}

#[test]
fn large_maps_are_told_apart() {
    let entries = || (0..20_000).map(|n| (n, n)).collect::<Vec<_>>();
    let changed = |change: fn(&mut Vec<(i32, i32)>)| {
        let mut entries = entries();
        change(&mut entries);
        key(Listed(entries))
    };
    let all = [
        changed(|_| {}),
        changed(|entries| entries[500].1 += 1),
        changed(|entries| entries[500].0 += 100_000),
        changed(|entries| entries.truncate(19_999)),
        changed(|entries| entries.push((20_000, 20_000))),
        // The same keys and the same values, otherwise together.
        changed(|entries| (entries[1].1, entries[2].1) = (2, 1)),
        key((0..20_000).collect::<HashSet<_>>()),
        key((0..20_000).collect::<Vec<_>>()),
        key([Listed(entries()), Listed(Vec::new())]),
        key([Listed(Vec::new()), Listed(entries())]),
    ];
    for (at, one) in all.iter().enumerate() {
        assert!(all[at + 1..].iter().all(|other| one != other), "{at}");
    }
}

/// A heap may hold an element any number of times, also a power of two.
#[test]
fn copies_of_one_element_do_not_cancel_out() {
    let heap = |of: &[(u8, usize)]| {
        let copies = |&(element, times)| std::iter::repeat_n(element, times);
        key(BinaryHeap::from_iter(of.iter().flat_map(copies)))
    };
    let all = [
        heap(&[(1, 65_536)]),
        heap(&[(2, 65_536)]),
        heap(&[(1, 65_535), (2, 1)]),
        heap(&[(1, 32_768), (2, 32_768)]),
        heap(&[(1, 65_537)]),
        heap(&[(1, 131_072)]),
    ];
    for (at, one) in all.iter().enumerate() {
        assert!(all[at + 1..].iter().all(|other| one != other), "{at}");
    }
}

#[test]
fn large_maps_inside_maps_and_secrets() {
    let inner = |last: i32| (0..20_000).chain([last]).map(|n| (n, n)).collect::<HashMap<_, _>>();
    let outer = |last| HashMap::from([("a", inner(last)), ("b", inner(20_000))]);
    assert_eq!(key(outer(20_000)), key(outer(20_000)));
    assert_ne!(key(outer(20_000)), key(outer(20_001)));
    let secret = |last| Key::for_function("f").digest(&outer(last)).finish();
    assert_eq!(secret(20_000), secret(20_000));
    assert_ne!(secret(20_000), secret(20_001));
}

/// What a key of fewer bytes shows has always stood there sorted.
#[test]
fn what_fits_into_a_key_is_text_at_any_depth() {
    #[derive(Serialize)]
    struct Deep(BTreeMap<u8, Self>);
    let deep = (0..40).fold(BTreeMap::new(), |inner, _| BTreeMap::from([(1, Deep(inner))]));
    assert!(text(&deep).starts_with("(<1=Deep(<1=Deep("), "{}", text(&deep));
    assert!(!text(&deep).contains('#'));
    // As many of the shortest elements as an argument can show.
    let units: HashSet<u8> = (0..10).collect();
    let heaps = vec![units; 20];
    assert!(text(heaps).starts_with("([[0,1,2,3,4,5,6,7,8,9],[0"));
    assert!(text(BinaryHeap::from(vec![1; 250])).starts_with("([1,1,1,"));
}

/// A change here is a cold start for whoever has such arguments.
#[test]
fn the_key_of_a_large_map_is_fixed() {
    let map: HashMap<u32, u32> = (0..10_000).map(|n| (n, n * n)).collect();
    let expected = "f:v1(<#f37d226ba2f3ece3033b5cc4c9d70e767700c6110079433001200521aee075b8>)";
    assert_eq!(key(map).as_str(), expected);
    let expected = "f:v1([#ea418f3da4fd225455142b8f6538efbd39b16f0620bd69ee49863b5c0d7a8e25])";
    assert_eq!(key(BinaryHeap::from(vec![7; 100_000])).as_str(), expected);
}

/// No map's own text can be taken for that of a sum.
#[test]
fn nothing_short_reads_like_a_large_map() {
    let large: HashMap<u32, u32> = (0..10_000).map(|n| (n, n * n)).collect();
    let large = key(large);
    let sum = large.as_str().trim_start_matches("f:v1(<").trim_end_matches(">)").to_owned();
    assert_ne!(key(BTreeMap::from([(sum.as_str(), 1)])), large);
    assert_ne!(key(HashSet::from([sum.as_str()])), large);
    assert_ne!(Key::for_function("f").text("<").text(&sum).text(">").finish(), key(1));
}
