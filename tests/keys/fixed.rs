//! Thirty keys, written out. **A change here is a cold start for every user**: after the update no
//! stored value is found, and every process loads everything again.

use std::collections::{BinaryHeap, HashMap, HashSet};

use herdless::{Cache, Key};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Nothing;

#[derive(Serialize)]
struct Id(u64);

#[derive(Serialize)]
struct Span(u8, &'static str);

#[derive(Serialize)]
struct Page {
    region: Option<&'static str>,
    number: u8,
}

#[derive(Serialize)]
struct Renamed {
    #[serde(rename = "page-size")]
    size: u8,
    #[serde(rename = "größe_2")]
    second: u8,
}

#[derive(Serialize)]
enum Shape {
    Point,
    Circle(f32),
    Rectangle(u8, u8),
    Polygon {
        corners: Vec<u8>,
    },
    #[serde(rename = "a{b}")]
    Odd(u8),
}

struct Bytes(&'static [u8]);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// By their bits: the language leaves those of its own constants open.
const NANS: ([f32; 2], [f64; 2]) = (
    [f32::from_bits(0x7fc0_0000), f32::from_bits(0xffc0_0001)],
    [f64::from_bits(0x7ff8_0000_0000_0000), f64::from_bits(0xfff8_0000_0000_0001)],
);

fn arg(argument: impl Serialize) -> Key {
    Key::for_function("shop::rows").arg(&argument).finish()
}

fn numbers_and_text() -> Vec<(Key, &'static str)> {
    vec![
        (Key::for_version("shop::all<u8>", u32::MAX).finish(), "shop::all<u8>:v4294967295()"),
        (
            arg((u8::MAX, u16::MAX, u32::MAX, u64::MAX, u128::MAX)),
            "shop::rows:v1((255,65535,4294967295,18446744073709551615,340282366920938463463\
             374607431768211455))",
        ),
        (
            arg((i8::MIN, i16::MIN, i32::MIN, i64::MIN, i128::MIN)),
            "shop::rows:v1((-128,-32768,-2147483648,-9223372036854775808,-17014118346046923\
             1731687303715884105728))",
        ),
        (
            arg((true, false, 'x', '"', '\\', '%')),
            r#"shop::rows:v1((true,false,"x","\"","\\","%25"))"#,
        ),
        (
            arg([0.0, -0.0, 1.5, 1e-7, f32::MAX, f32::INFINITY, NANS.0[0], NANS.0[1]]),
            "shop::rows:v1((0.0,-0.0,1.5,1e-7,3.4028235e38,inf,nan(7fc00000),nan(ffc00001)))",
        ),
        (
            arg([0.1, -0.0, 1e300, f64::MIN_POSITIVE, f64::NEG_INFINITY, NANS.1[0], NANS.1[1]]),
            "shop::rows:v1((0.1,-0.0,1e300,2.2250738585072014e-308,-inf,nan(7ff800000000000\
             0),nan(fff8000000000001)))",
        ),
        (arg("EU west"), r#"shop::rows:v1("EU west")"#),
        (
            arg("\" \\ { } % %7B 'a' ,:|=#()[]<>"),
            r#"shop::rows:v1("\" \\ %7B %7D %25 %257B 'a' ,:|=#()[]<>")"#,
        ),
        (
            arg("\0\t\n\r\u{7f}\u{85}\u{ad}\u{200b}\u{200f}\u{2028}\u{202e}\u{feff}"),
            "shop::rows:v1(\"\\u0000\\u0009\\u000a\\u000d\\u007f\\u0085\\u00ad\\u200b\\u200f\
             \\u2028\\u202e\\ufeff\")",
        ),
        (arg("é e\u{301} İ 日本 🦀"), "shop::rows:v1(\"é e\u{301} İ 日本 🦀\")"),
    ]
}

fn kinds_of_types() -> Vec<(Key, &'static str)> {
    vec![
        (
            arg((None::<u8>, Some(None::<u8>), Some(Some(7)), Some("none"))),
            r#"shop::rows:v1((none,some(none),some(some(7)),some("none")))"#,
        ),
        (arg(((), Nothing)), "shop::rows:v1(((),Nothing))"),
        (arg((Id(80), Span(1, "a"))), r#"shop::rows:v1((Id(80),Span(1,"a")))"#),
        (
            arg(Page { region: Some("eu"), number: 2 }),
            r#"shop::rows:v1(Page(region=some("eu"),number=2))"#,
        ),
        (
            arg(Renamed { size: 1, second: 2 }),
            r##"shop::rows:v1(Renamed(#"page-size"=1,größe_2=2))"##,
        ),
        (arg(Shape::Point), "shop::rows:v1(Shape.Point)"),
        (
            arg([Shape::Circle(0.5), Shape::Odd(1)]),
            r##"shop::rows:v1((Shape.Circle(0.5),Shape.#"a%7Bb%7D"(1)))"##,
        ),
        (arg(Shape::Rectangle(2, 3)), "shop::rows:v1(Shape.Rectangle(2,3))"),
        (
            arg(Shape::Polygon { corners: vec![1, 2] }),
            "shop::rows:v1(Shape.Polygon(corners=[1,2]))",
        ),
        (arg(vec![vec![], vec![1], vec![2, 3]]), "shop::rows:v1([[],[1],[2,3]])"),
        (
            arg(HashMap::from([("b", Some(1)), ("a,", None), ("a", Some(2))])),
            r#"shop::rows:v1(<"a"=some(2),"a,"=none,"b"=some(1)>)"#,
        ),
        (
            arg((HashSet::from([10, 9, 1]), BinaryHeap::from([2, 1, 2]))),
            "shop::rows:v1(([1,10,9],[1,2,2]))",
        ),
        (arg(Bytes(&[0, 1, 127, 255])), "shop::rows:v1(0x00017fff)"),
    ]
}

fn parts_and_limits() -> Vec<(Key, &'static str)> {
    let key = || Key::for_function("shop::rows");
    vec![
        (key().arg("a").arg(&1).arg(&None::<u8>).finish(), r#"shop::rows:v1("a",1,none)"#),
        (
            key().text("product:").arg(&7).text(".5{}").arg("x").text("").arg(&2).finish(),
            r#"shop::rows:v1(product:7,.5%7B%7D"x",2)"#,
        ),
        (
            arg("é".repeat(254) + "a"),
            "shop::rows:v1(\"éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé\
             éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé\
             éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé\
             ééééééééééééééééééééééééééééééééééééa\")",
        ),
        (
            arg("é".repeat(255)),
            "shop::rows:v1#77239163ea270338a2d3ed3b1d5a15a6cf58f7a977851e21dc6ac05d89ebb9f3",
        ),
        (
            Key::for_function(&"Vec<é>, ".repeat(60)).arg(&1).finish(),
            "Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>\
             , Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<\
             é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Ve\
             c<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, \
             Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>\
             , Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>, Vec<é>,#aa7513ee4767\
             e0a79f1254006e664b89f4eebf92d4a2b277dd9c5b6b184b0b28:v1(1)",
        ),
        (
            key().text("of:").digest("tok-EXAMPLE-1").arg(&7).digest(&None::<u8>).finish(),
            "shop::rows:v1(of:#fa8e1474b1120a14e9b7575fae4b0ab8c3bca865db562ac4d4d27e89b739\
             10a1,7,#8ac49f51d020905227c0bc6d040a035396ec518dbda59d6bb53df3f718fb9f35)",
        ),
        (
            key().arg(&"é".repeat(255)).digest("tok-EXAMPLE-1").finish(),
            "shop::rows:v1#3b3ab9c20353bfdb47fe9123291e9cbb6a81b1032dc82a88865760704fa14989",
        ),
    ]
}

#[test]
fn thirty_keys_stay_as_they_are() {
    let rows = [numbers_and_text(), kinds_of_types(), parts_and_limits()].concat();
    assert_eq!(rows.len(), 30);
    for (key, expected) in rows {
        assert!(key.is_sound());
        assert_eq!(key.as_str(), expected);
    }
}

/// What the store is asked for. Also decided by how a cache keys its digests.
#[test]
fn keys_of_a_store_stay_as_they_are() {
    let cache = Cache::builder().namespace("a:b").key_secret("sixteen bytes or more").build();
    let rows = parts_and_limits();
    let [one, two] = [&rows[rows.len() - 2].0, &rows[rows.len() - 1].0];
    let expected = [
        "{a%3Ab:shop::rows:v1(of:#0d2f8e0a84c9cb913def9622649bfb58fc740f4524deb4b227c58\
             adb256a2909,7,#feabe6d31246256942d59607412e7f8773f8a770ea9f86aad88d68d44ff564f\
             d)}",
        "{a%3Ab:shop::rows:v1#4df25ef92c573c9a39786de1f1c661cd1c60014bc4d6f5be9d71353d0\
             fce639e}",
    ];
    assert_eq!([cache.redis_key(one), cache.redis_key(two)], expected);
}
