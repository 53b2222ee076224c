//! How keys went wrong elsewhere, by the numbers of our collection of cases. K06 and K08
//! are in `places`, K07 in `secrets`.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::process::Command;
use std::time::Duration;

use herdless::{Cache, Key, RedisStore, cached, with_cache};
use serde::Serialize;

use crate::server::Server;

/// Answers with its argument, so that a shared key is a wrong answer.
#[cached(ttl = 60)]
async fn echo(text: String) -> String {
    text
}

fn key<T: Serialize>(argument: &T) -> Key {
    Key::for_function("f").arg(argument).finish()
}

fn all_distinct<T: Debug>(keys: impl IntoIterator<Item = (T, Key)>) -> usize {
    let mut seen = HashMap::new();
    for (value, key) in keys {
        if let Some(other) = seen.insert(key.clone(), value) {
            panic!("{other:?} and {:?} share {key}", seen[&key]);
        }
    }
    seen.len()
}

/// Each is its own entry, and is found again.
async fn each_is_its_own_entry(cache: &Cache, texts: &[&str]) {
    for round in ["stored", "found again"] {
        for &text in texts {
            let answer = with_cache(cache.clone(), echo(text.into())).await;
            assert_eq!(answer, text, "{round}");
        }
    }
    let loads = u64::try_from(texts.len()).unwrap();
    assert_eq!(cache.count(herdless::Event::Load), loads);
}

/// All texts of up to `longest` characters of the alphabet.
fn texts(alphabet: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|text| alphabet.chars().map(move |c| format!("{text}{c}")))
            .collect();
        all.extend_from_slice(&last);
    }
    all
}

fn pairs(texts: &[String]) -> impl Iterator<Item = ((&str, &str), Key)> {
    texts.iter().flat_map(move |a| {
        texts.iter().map(move |b| {
            let key = Key::for_function("f").arg(a).arg(b).finish();
            ((a.as_str(), b.as_str()), key)
        })
    })
}

#[test]
fn k01_separators_inside_arguments() {
    let texts_of_two = texts("\"\\,()[]<>{}%:=#|.-1a", 2);
    assert_eq!(all_distinct(pairs(&texts_of_two)), texts_of_two.len().pow(2));
    let texts_of_four = texts("\"\\,a", 4);
    assert_eq!(all_distinct(pairs(&texts_of_four)), texts_of_four.len().pow(2));
    // What stands for an escape, spelled out by the user.
    let spelled = ["%", "%25", "%7B", "{", "\\u000a", "\n", "\\", "\\\\", "\\\"", "\"", "\",\""];
    let spelled = spelled.map(String::from);
    assert_eq!(all_distinct(pairs(&spelled)), spelled.len().pow(2));

    for c in [':', ',', '|', '"', '\\', '%', '{', '}', '(', ')', '#', '='] {
        let template = |a: String, b: &str| {
            Key::for_function("f").arg(&a).text(&c.to_string()).arg(b).finish()
        };
        assert_ne!(template(format!("a{c}b"), "c"), template("a".into(), &format!("b{c}c")));
    }
}

#[tokio::test]
async fn k02_letter_case_and_unicode_forms() {
    let cache = Cache::builder().build();
    let forms = [
        "Bob", "bob", "\u{e9}", "e\u{301}", "K", "\u{212a}", "k", "\u{130}", "i\u{307}", "i", "I",
        "\u{131}", "ss", "\u{df}", "\u{1e9e}", "\u{fb01}", "fi", "\u{ff21}", "A", "\u{410}",
    ];
    each_is_its_own_entry(&cache, &forms).await;
}

#[rustfmt::skip]
const ODD_TEXTS: [&str; 22] = [
    "a b", "ab", "a\nb", "a\r\n", "a\n", "a\0b", " a", "a ", "a", "\u{feff}a", "a\u{200b}", "", " ",
    "\t", "a\u{2028}b", "a\u{202e}b", "a\u{7f}b", "user*", "us?r", "[u]ser", "user", "user1",
];
const PATTERNS: [&str; 3] = ["user*", "us?r", "[u]ser"];

#[tokio::test]
async fn k03_spaces_control_characters_and_patterns() {
    let server = Server::start();
    let store = RedisStore::connect(server.url()).unwrap();
    let seconds = Duration::from_secs(5);
    let shared = Cache::builder().store(store).io_budget(seconds).build();
    for cache in [Cache::builder().build(), shared] {
        each_is_its_own_entry(&cache, &ODD_TEXTS).await;
        for pattern in PATTERNS {
            with_cache(cache.clone(), echo(pattern.into()).invalidate()).await.unwrap();
        }
        for text in ODD_TEXTS {
            let left = with_cache(cache.clone(), echo(text.into()).peek()).await.unwrap();
            assert_eq!(left.is_none(), PATTERNS.contains(&text), "{text:?}");
            let key = cache.redis_key(echo(text.into()).key());
            assert!(!key.contains(|c: char| c.is_control() || c == '\u{2028}'), "{key:?}");
        }
    }
}

#[cached(ttl = 60)]
async fn filtered(filters: HashMap<String, Vec<HashSet<u32>>>) -> usize {
    filters.len()
}

/// Twenty entries, put in by an order of `round`. Each collection hashes by a state of its own.
fn filters(round: usize) -> HashMap<String, Vec<HashSet<u32>>> {
    let shuffled = move |n: usize| (n * 7 + round) % 20;
    let set = move || (0..20).map(|n| u32::try_from(shuffled(n)).unwrap()).collect();
    (0..20).map(|n| (format!("filter {}", shuffled(n)), vec![set(), HashSet::new()])).collect()
}

const CHILD: &str = "HERDLESS_KEYS_CHILD";

/// In a child: prints its key. Alone it has nothing to do.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        println!("KEY {}", filtered(filters(3)).key());
    }
}

#[test]
fn k04_unordered_collections() {
    let reference = filtered(filters(0)).key().clone();
    for round in 1..=100 {
        assert_eq!(filtered(filters(round)).key(), &reference, "round {round}");
    }
    for _ in 0..3 {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "casebook::child", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let printed = String::from_utf8(child.stdout).unwrap();
        let key = printed.lines().find_map(|line| line.split_once("KEY ")).unwrap().1;
        assert_eq!(key, reference.as_str());
    }
    let mut other = filters(0);
    other.get_mut("filter 7").unwrap()[0].remove(&3);
    assert_ne!(filtered(other).key(), &reference);
}

#[derive(Serialize)]
enum Id {
    Num(u32),
    Text(String),
    None,
}

#[test]
fn k05_absent_against_empty_and_number_against_text() {
    let texts = [None, Some("None"), Some("none"), Some(""), Some("null"), Some("some(\"\")")];
    let nested = [None, Some(None), Some(Some(None)), Some(Some(Some(0_u8)))];
    let ids = [Id::Num(1), Id::Text("1".into()), Id::Text("Num(1)".into()), Id::None];
    let values = [
        ("1", key(&1)),
        ("\"1\"", key(&"1")),
        ("1.0", key(&1.0)),
        ("true", key(&true)),
        ("'1'", key(&(1,))),
        ("[1]", key(&vec![1])),
        ("[\"1\"]", key(&vec!["1"])),
        ("()", key(&())),
        ("[]", key(&Vec::<u8>::new())),
        ("\"\"", key(&"")),
        ("0", key(&0)),
        ("-0.0", key(&-0.0)),
        ("0.0", key(&0.0)),
        ("<>", key(&HashMap::<u8, u8>::new())),
        ("nothing", Key::for_function("f").finish()),
        ("none", key(&None::<u8>)),
        ("\"none\"", key(&"none")),
        ("false", key(&false)),
    ];
    all_distinct(texts.map(|text| (text, key(&text))));
    all_distinct(nested.map(|value| (value, key(&value))));
    all_distinct(ids.iter().enumerate().map(|(number, id)| (number, key(id))));
    all_distinct(values);
    // Presence moves no argument into the place of another.
    let two = |a: Option<u8>, b: Option<u8>| Key::for_function("f").arg(&a).arg(&b).finish();
    let options = [None, Some(1)];
    let all = options.into_iter().flat_map(|a| options.map(|b| ((a, b), two(a, b))));
    assert_eq!(all_distinct(all), 4);
}
