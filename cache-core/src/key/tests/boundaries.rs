//! Limits, and text of every width around them.

use proptest::prelude::*;

use super::*;

/// Characters of one to four bytes, and those that are escaped.
const CHARS: [char; 7] = ['a', 'é', '日', '🦀', '%', '"', '\n'];

/// The key by definition: all of the text is made, then measured.
fn by_definition(arguments: &[String]) -> String {
    let one = |argument: &String| {
        let mut text = Text::limited(String::new(), usize::MAX / 2);
        write::argument(&mut text, argument).unwrap();
        text.finish().0
    };
    let text = arguments.iter().map(one).collect::<Vec<_>>().join(",") + ")";
    if text.len() <= 512 {
        return format!("f:v1({text}");
    }
    format!("f:v1#{}", blake3::hash(text.as_bytes()).to_hex())
}

fn written(arguments: &[String]) -> Key {
    arguments.iter().fold(Key::for_function("f"), |key, one| key.arg(one)).finish()
}

/// Text of one character, as close to `bytes` as the character allows, filled up with `b`.
fn text_of(c: char, bytes: usize) -> String {
    let text = c.to_string().repeat(bytes / c.len_utf8());
    let rest = bytes - text.len();
    text + &"b".repeat(rest)
}

#[test]
fn the_argument_part_is_text_up_to_512_bytes() {
    for c in CHARS {
        for bytes in 1..530 {
            let text = [text_of(c, bytes)];
            assert_eq!(written(&text).as_str(), by_definition(&text), "{c:?} {bytes}");
        }
    }
    // Two quotes and the closing bracket count.
    assert!(written(&["a".repeat(509)]).as_str().starts_with("f:v1(\"aaa"));
    assert!(written(&["a".repeat(510)]).as_str().starts_with("f:v1#"));
}

#[test]
fn arguments_of_any_length_are_digested_as_one_text() {
    for bytes in (8180..8210).chain(8690..8710).chain(16_370..16_400).chain([100_000]) {
        for c in CHARS {
            let text = [text_of(c, bytes), "x".into(), text_of(c, bytes / 3)];
            assert_eq!(written(&text).as_str(), by_definition(&text), "{c:?} {bytes}");
        }
    }
}

proptest! {
    #[test]
    fn it_does_not_matter_how_the_text_is_cut_into_pieces(
        pieces in vec((proptest::sample::select(CHARS.to_vec()), 0_usize..300), 0..9),
        large in proptest::option::of(8000_usize..9000),
    ) {
        let mut arguments: Vec<_> = pieces.into_iter().map(|(c, bytes)| text_of(c, bytes)).collect();
        arguments.extend(large.map(|bytes| text_of('é', bytes)));
        let key = written(&arguments);
        let expected = by_definition(&arguments);
        prop_assert_eq!(key.as_str(), expected);
    }
}

#[test]
fn an_identity_is_cut_between_characters_and_told_apart_by_its_digest() {
    let mut seen = std::collections::HashSet::new();
    for (c, escaped) in [('a', 1), ('é', 2), ('日', 3), ('🦀', 4), ('%', 3)] {
        for characters in 1..520 {
            for ending in ["", "b", "bb", "bbb"] {
                let identity = c.to_string().repeat(characters) + ending;
                let key = Key::for_function(&identity).arg(&1).finish();
                let bytes = characters * escaped + ending.len();
                let text = key.as_str().strip_suffix(":v1(1)").unwrap();
                if bytes <= 512 {
                    assert_eq!(text, write::escaped(&identity));
                } else {
                    let (head, digest) = text.split_once('#').unwrap();
                    assert!((509..=512).contains(&head.len()), "{} bytes", head.len());
                    assert!(write::escaped(&identity).starts_with(head));
                    assert_eq!(digest.len(), 64);
                }
                assert!(seen.insert(key.as_str().to_owned()), "{identity} is shared");
                // Nobody can name a function so that it has another one's key.
                let imitation = Key::for_function(text).arg(&1).finish();
                assert!(bytes <= 512 || imitation != key);
            }
        }
    }
}

#[test]
fn no_key_is_longer_than_documented() {
    let longest = Key::for_version(&"a".repeat(513), u32::MAX).arg(&"a".repeat(509)).finish();
    assert_eq!(longest.as_str().len(), Key::LONGEST);
    assert_eq!(longest.tag("%:a", None).len(), Key::LONGEST + 7 + 3);
    for bytes in [510, 511, 10_000] {
        let key = Key::for_version(&"é%".repeat(bytes), u32::MAX).arg(&"a".repeat(bytes)).finish();
        assert!(key.as_str().len() < Key::LONGEST);
    }
}
