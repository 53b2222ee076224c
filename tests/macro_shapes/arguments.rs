//! Borrowed and owned arguments, patterns, `mut`, names that could clash, raw identifiers.

use std::sync::Arc;

use herdless::cached;
use serde::Serialize;

use crate::{Loads, loads, send, twice_and_other};

#[cached(ttl = 300)]
async fn lookup(region: &str, tags: &[String], note: Option<&str>) -> usize {
    LOOKUP.add();
    region.len() + tags.len() + note.map_or(0, |note| note.len() + 100)
}
static LOOKUP: Loads = Loads::new();

// M01; its refreshes are in `strategies`.
#[tokio::test]
async fn borrowed() {
    async fn with_locals(region: &str, note: Option<&str>) -> usize {
        let (region, tags) = (region.to_owned(), vec!["a".to_owned()]);
        send(lookup(&region, &tags, note)).await
    }
    twice_and_other!(with_locals("eu", None) => 3, with_locals("eu", Some("")) => 103);
    loads(2, &LOOKUP);
}

struct Pool;

#[cached(ttl = 300, skip(pool))]
async fn rows(pool: &Pool, id: u32) -> u32 {
    let _ = pool;
    ROWS.add();
    id + 1
}
static ROWS: Loads = Loads::new();

#[cached(ttl = 300, skip(pool))]
async fn rows_owned(pool: Arc<Pool>, id: u32) -> u32 {
    ROWS_OWNED.add();
    id + u32::try_from(Arc::strong_count(&pool)).unwrap()
}
static ROWS_OWNED: Loads = Loads::new();

// M13; sizes are in `places`.
#[tokio::test]
async fn skipped() {
    let (one, two) = (Pool, Pool);
    twice_and_other!(rows(&one, 1) => 2, rows(&two, 2) => 3);
    loads(2, &ROWS);
    let pool = || Arc::new(Pool);
    twice_and_other!(rows_owned(pool(), 1) => 2, rows_owned(pool(), 2) => 3);
    loads(2, &ROWS_OWNED);
}

#[derive(Serialize)]
struct Point {
    x: i64,
    y: i64,
}

#[cached(ttl = 300)]
async fn area((w, h): (u32, u32), Point { x, y }: Point, [a, b]: [u8; 2], mut total: u64) -> u64 {
    AREA.add();
    total += u64::from(w * h) + (x + y) as u64 + u64::from(a) + u64::from(b);
    total + u64::from(w)
}
static AREA: Loads = Loads::new();

// M04
#[tokio::test]
async fn patterns() {
    let call = |sides| area(sides, Point { x: 1, y: 1 }, [0, 1], 10);
    twice_and_other!(call((2, 3)) => 21, call((3, 2)) => 22);
    assert_eq!(area((2, 3), Point { x: 1, y: 1 }, [0, 1], 11).await, 22);
    assert_eq!(area((2, 3), Point { x: 1, y: 1 }, [1, 1], 10).await, 22);
    assert_eq!(area((2, 3), Point { x: 1, y: 2 }, [0, 1], 10).await, 22);
    loads(5, &AREA);
    // The body changed `total`, and the key is that of the call.
    assert_eq!(call((2, 3)).peek().await.unwrap(), Some(21));
    loads(5, &AREA);
}

#[cached(ttl = 300)]
async fn borrowed_patterns(&(a, b): &(u8, u8), mut rest: &[u8], _: u8) -> usize {
    BORROWED_PATTERNS.add();
    rest = &rest[1..];
    usize::from(a) + usize::from(b) + rest.len()
}
static BORROWED_PATTERNS: Loads = Loads::new();

#[tokio::test]
async fn patterns_that_borrow() {
    twice_and_other!(
        borrowed_patterns(&(1, 2), &[1, 2, 3], 0) => 5,
        borrowed_patterns(&(1, 2), &[1, 2, 3], 1) => 5
    );
    loads(2, &BORROWED_PATTERNS);
}

mod clashes {
    use super::*;

    #[expect(dead_code, reason = "names that generated code might have wanted")]
    fn inner() {}
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    const KEY: u8 = 0;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    struct Cache;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    struct Option;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    struct Result;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    struct Box;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    struct Arc;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    struct Duration;
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    trait Send {}
    #[expect(dead_code, reason = "names that generated code might have wanted")]
    trait Future {}

    mod core {}

    #[cached(ttl = 300)]
    #[expect(clippy::too_many_arguments, reason = "the point of the test")]
    pub(super) async fn read(
        key: String,
        cache: u32,
        value: u32,
        ttl: u64,
        lock: bool,
        result: i8,
        inner: u8,
        args: Vec<u8>,
    ) -> String {
        READ.add();
        format!("{key}{cache}{value}{ttl}{lock}{result}{inner}{}", args.len())
    }
    pub(super) static READ: Loads = Loads::new();

    #[cached(ttl = 300)]
    #[expect(clippy::too_many_arguments, reason = "the point of the test")]
    pub(super) async fn lend(
        stored: &str,
        policy: &str,
        errors: &str,
        uncached: &str,
        detached: &str,
        returned: &str,
        load: &str,
        copies: &str,
    ) -> String {
        LEND.add();
        [stored, policy, errors, uncached, detached, returned, load, copies].concat()
    }
    pub(super) static LEND: Loads = Loads::new();

    pub(super) struct Clash;

    impl Clash {
        #[cached(ttl = 300, skip(self))]
        pub(super) async fn method(&self, key: u8, stored: u8, policy: u8, returned: u8) -> u8 {
            METHOD.add();
            key + stored + policy + returned
        }
    }
    pub(super) static METHOD: Loads = Loads::new();
}

// M10
#[tokio::test]
async fn names_that_could_clash() {
    let read = |last| clashes::read("k".to_owned(), 1, 2, 3, true, 5, 6, last);
    twice_and_other!(read(vec![]) => "k123true560", read(vec![1]) => "k123true561");
    loads(2, &clashes::READ);
    let k = |key: &str| key.to_owned();
    let others = [
        clashes::read(k("l"), 1, 2, 3, true, 5, 6, vec![]).await,
        clashes::read(k("k"), 9, 2, 3, true, 5, 6, vec![]).await,
        clashes::read(k("k"), 1, 9, 3, true, 5, 6, vec![]).await,
        clashes::read(k("k"), 1, 2, 9, true, 5, 6, vec![]).await,
        clashes::read(k("k"), 1, 2, 3, false, 5, 6, vec![]).await,
        clashes::read(k("k"), 1, 2, 3, true, 9, 6, vec![]).await,
        clashes::read(k("k"), 1, 2, 3, true, 5, 9, vec![]).await,
    ];
    let expected = [
        "l123true560",
        "k923true560",
        "k193true560",
        "k129true560",
        "k123false560",
        "k123true960",
        "k123true590",
    ];
    assert_eq!(others, expected);
    loads(9, &clashes::READ);
    let lend = |last| clashes::lend("a", "b", "c", "d", "e", "f", "g", last);
    twice_and_other!(lend("h") => "abcdefgh", lend("i") => "abcdefgi");
    loads(2, &clashes::LEND);
    twice_and_other!(clashes::Clash.method(1, 2, 3, 4) => 10, clashes::Clash.method(0, 2, 3, 4) => 9);
    loads(2, &clashes::METHOD);
}

#[cached(ttl = 300, key = "{type}/{in}")]
async fn r#match(r#type: String, r#in: u32) -> String {
    RAW.add();
    [r#type, r#in.to_string()].concat()
}
static RAW: Loads = Loads::new();

mod raw {
    #[herdless::cached(ttl = 300)]
    pub(super) async fn r#foo(r#id: u32) -> u32 {
        id
    }
}

// M11
#[tokio::test]
async fn raw_names() {
    twice_and_other!(r#match("a".to_owned(), 1) => "a1", r#match("a".to_owned(), 2) => "a2");
    assert!(!r#match("a".to_owned(), 1).key().to_string().contains("r#"));
    // As without the prefix.
    assert!(raw::foo(1).key().as_str().ends_with("::raw::foo:v1(1)"));
    loads(2, &RAW);
}

#[derive(Serialize)]
struct User {
    id: u32,
    tags: (u8, u8),
}

#[cached(ttl = 300, key = "user:{user.id}:{user.tags.1}:{{{lang}}}", skip(pool))]
async fn greeting(pool: &Pool, user: &User, lang: &'static str) -> String {
    let _ = pool;
    GREETING.add();
    format!("{lang} {}", user.id)
}
static GREETING: Loads = Loads::new();

#[tokio::test]
async fn templates() {
    let user = |id| User { id, tags: (0, 1) };
    twice_and_other!(
        greeting(&Pool, &user(1), "de") => "de 1",
        greeting(&Pool, &user(2), "de") => "de 2"
    );
    loads(2, &GREETING);
}

#[cached(ttl = 300, skip(_unused))]
async fn underscored(_unused: Pool, _id: u32, #[allow(unused_variables)] ignored: u8) -> u32 {
    UNDERSCORED.add();
    7
}
static UNDERSCORED: Loads = Loads::new();

#[tokio::test]
async fn unused_on_purpose() {
    twice_and_other!(underscored(Pool, 1, 0) => 7, underscored(Pool, 2, 0) => 7);
    loads(2, &UNDERSCORED);
}

#[cached(ttl = 300)]
async fn nothing() {
    NOTHING.add();
}
static NOTHING: Loads = Loads::new();

#[tokio::test]
async fn no_arguments() {
    nothing().await;
    nothing().await;
    loads(1, &NOTHING);
}

#[cached(ttl = 300, detach)]
async fn copied(name: &str, list: &[u8], user: &String, id: String) -> usize {
    COPIED.add();
    name.len() + list.len() + user.len() + id.len()
}
static COPIED: Loads = Loads::new();

#[tokio::test]
async fn copied_for_a_detached_load() {
    let call = async |name: &str| {
        let (name, user) = (name.to_owned(), "u".to_owned());
        copied(&name, &[1, 2], &user, "x".to_owned()).await
    };
    twice_and_other!(call("ab") => 6, call("abc") => 7);
    loads(2, &COPIED);
}
