mod boundaries;
mod identities;
mod large_maps;
mod secrets;
mod sets;

use std::collections::{BTreeMap, HashMap};

use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;

use super::*;

fn text<T: Serialize>(value: T) -> String {
    let key = Key::for_function("f").arg(&value).finish();
    key.as_str().trim_start_matches("f:v1").to_owned()
}

#[derive(Debug, Clone, PartialEq, Serialize)]
enum Tree {
    Leaf,
    Text(String),
    Number(i64),
    Pair(Box<Self>, Box<Self>),
    Some { inner: Option<Box<Self>> },
    List(Vec<Self>),
    Map(BTreeMap<String, Self>),
    Bytes(Vec<u8>),
}

#[test]
fn keys_read_like_the_call() {
    #[derive(Serialize)]
    struct Page {
        region: &'static str,
        number: u8,
    }
    assert_eq!(text(80), "(80)");
    assert_eq!(text(("EU", 1.5, true)), "((\"EU\",1.5,true))");
    assert_eq!(text(Page { region: "eu", number: 2 }), "(Page(region=\"eu\",number=2))");
    assert_eq!(text([Some(1), None]), "((some(1),none))");
    assert_eq!(text(vec![1, 2]), "([1,2])");
    assert_eq!(text(BTreeMap::from([("b", 1), ("a", 2)])), "(<\"a\"=2,\"b\"=1>)");
    let key = Key::for_version("shop::f", 3).text("product:").arg(&7).text(":").arg("x").finish();
    assert_eq!(key.as_str(), "shop::f:v3(product:7:\"x\")");
    assert_eq!(key.tag("shop", None), "{shop:shop::f:v3(product:7:\"x\")}");
    assert_eq!(key.tag("", None), "{shop::f:v3(product:7:\"x\")}");
}

#[test]
fn absent_is_not_empty_and_text_is_not_a_number() {
    let all = [
        text(None::<&str>),
        text(Some("None")),
        text(Some("")),
        text(Some("null")),
        text("none"),
        text(1),
        text("1"),
        text(None::<Option<u8>>.is_some()),
        text(Some(None::<u8>)),
        text(0.0),
        text(-0.0),
        text(f64::NAN),
        text(-f64::NAN),
        text(()),
    ];
    for (i, a) in all.iter().enumerate() {
        assert!(all[i + 1..].iter().all(|b| a != b), "{a} is shared");
    }
}

#[test]
fn case_and_unicode_forms_stay_apart_and_a_key_is_one_line() {
    for (a, b) in [
        ("Bob", "bob"),
        ("\u{e9}", "e\u{301}"),
        ("K", "\u{212a}"),
        ("a b", "ab"),
        ("a\0b", "ab"),
        ("a", "\u{feff}a"),
        ("a\n", "a\\n"),
        ("\u{85}", "\\u0085"),
    ] {
        assert_ne!(text(a), text(b));
    }
    assert!(!text("a\r\nb\u{2028}\u{0}").contains(|c: char| c.is_control() || c == '\u{2028}'));
}

#[test]
fn maps_do_not_depend_on_their_order() {
    let keys = (0..20).map(|n| (format!("k{n}"), n));
    let reference = text(keys.clone().collect::<BTreeMap<_, _>>());
    for _ in 0..20 {
        assert_eq!(text(keys.clone().collect::<HashMap<_, _>>()), reference);
        assert_eq!(text(keys.clone().rev().collect::<HashMap<_, _>>()), reference);
    }
}

#[test]
fn long_arguments_become_a_digest_that_still_tells_them_apart() {
    let key = |n: usize, last: &str| {
        Key::for_function("f").arg(&format!("{}{last}", "é{".repeat(n))).finish()
    };
    assert!(key(400, "a").as_str().len() < LONGEST_ARGUMENTS);
    assert!(key(400, "a").as_str().starts_with("f:v1#"));
    assert_ne!(key(400, "a"), key(400, "b"));
    assert_ne!(key(400, ""), key(401, ""));
}

#[test]
fn an_argument_that_cannot_be_written_makes_the_key_unsound() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    assert!(!Key::for_function("f").arg(&Broken).finish().is_sound());
    assert!(Key::for_function("f").arg(&1).finish().is_sound());
}

/// CRC16/XMODEM of the hash tag, as Redis Cluster computes a slot.
fn slot(key: &str) -> u16 {
    let tag = key.find('{').and_then(|open| {
        let close = key[open + 1..].find('}')?;
        (close > 0).then(|| &key[open + 1..open + 1 + close])
    });
    let crc = tag.unwrap_or(key).bytes().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    });
    crc % 16_384
}

#[test]
fn the_slot_function_agrees_with_the_published_examples() {
    assert_eq!((slot("123456789"), slot("{user1000}.following")), (12_739, slot("user1000")));
}

#[test]
fn values_of_one_function_spread_over_the_slots() {
    let slots: std::collections::HashSet<u16> = (0..1000)
        .map(|n| slot(&Key::for_function("f").arg(&n).finish().tag("shop", None)))
        .collect();
    assert!(slots.len() > 900, "{} slots", slots.len());
}

fn nasty() -> impl Strategy<Value = String> {
    let pieces = [
        "\"", "\\", ",", "(", ")", "[", "]", "<", ">", "{", "}", "%", "%7B", "%25", ":", "|", "=",
        "'", "#", "1", "a", "none", "some(", "", "\n", "\0", "u000a", "é", ".", "-",
    ];
    vec(proptest::sample::select(pieces.to_vec()), 0..5).prop_map(|parts| parts.concat())
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Leaf),
        nasty().prop_map(Tree::Text),
        (-20_i64..20).prop_map(Tree::Number),
        vec(0_u8..3, 0..3).prop_map(Tree::Bytes),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Tree::Pair(a.into(), b.into())),
            proptest::option::of(inner.clone())
                .prop_map(|inner| Tree::Some { inner: inner.map(Box::new) }),
            vec(inner.clone(), 0..3).prop_map(Tree::List),
            proptest::collection::btree_map(nasty(), inner, 0..3).prop_map(Tree::Map),
        ]
    })
}

/// Two independent draws seldom coincide; two draws over one small alphabet often nearly do.
fn key_of(arguments: &(String, String, Tree)) -> Key {
    Key::for_function("f").arg(&arguments.0).arg(&arguments.1).arg(&arguments.2).finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_two_argument_tuples_share_a_key(a in (nasty(), nasty(), tree()), b in (nasty(), nasty(), tree())) {
        prop_assert_eq!(a == b, key_of(&a) == key_of(&b), "{} {}", key_of(&a), key_of(&b));
    }

    #[test]
    fn moving_text_over_a_boundary_makes_another_key(text in nasty(), cut in 0_usize..12, other in 0_usize..12) {
        let split = |at: usize| {
            let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            (text[..at].to_owned(), text[at..].to_owned())
        };
        let (a, b) = (split(cut), split(other));
        let key = |parts: &(String, String)| Key::for_function("f").arg(&parts.0).arg(&parts.1).finish();
        prop_assert_eq!(a == b, key(&a) == key(&b));
    }

    #[test]
    fn templates_keep_their_arguments_apart(a in (0_u32..200, 0_u32..200), b in (0_u32..200, 0_u32..200), text in "[0-9a-z:.]{0,2}") {
        let key = |n: &(u32, u32)| Key::for_function("f").text("x").arg(&n.0).text(&text).arg(&n.1).finish();
        prop_assert_eq!(a == b, key(&a) == key(&b), "{}", key(&a));
    }

    #[test]
    fn all_keys_of_one_value_share_a_slot(arguments in (nasty(), nasty(), tree()), namespace in nasty()) {
        let tag = key_of(&arguments).tag(&namespace, None);
        prop_assert_eq!(tag.matches('{').count() + tag.matches('}').count(), 2);
        for suffix in [":lease", ":gen", ":mark", ":load", ":wake"] {
            prop_assert_eq!(slot(&format!("{tag}{suffix}")), slot(&tag));
        }
    }
}
