//! Arguments that stand in a key as a digest only.

use super::*;

fn keyed(secret: &str, key: &Key) -> String {
    key.tag("", Some(&KeySecret::new(secret.as_bytes())))
}

fn places(key: &Key) -> Vec<usize> {
    key.secrets.as_deref().unwrap_or_default().to_vec()
}

#[test]
fn a_secret_stands_as_the_digest_of_its_text() {
    let digest = |text: &str| format!("#{}", blake3::hash(text.as_bytes()).to_hex());
    let key = Key::for_function("f").digest("a\"{").arg(&1).digest(&Some(2)).finish();
    let (text, number) = (digest("\"a\\\"%7B\""), digest("some(2)"));
    assert_eq!(key.as_str(), format!("f:v1({text},1,{number})"));
    assert_eq!(places(&key), [6, 6 + 64 + 4]);

    let long = "é".repeat(100_000);
    let key = Key::for_function("f").text("of:").digest(&long).text(":x").digest(&()).finish();
    let (text, unit) = (digest(&format!("\"{long}\"")), digest("()"));
    assert_eq!(key.as_str(), format!("f:v1(of:{text}:x{unit})"));
    assert_eq!(key.tag("", None), format!("{{{key}}}"));
    assert!(places(&Key::for_function("f").text("#").arg(&1).finish()).is_empty());
}

#[test]
fn the_caches_secret_keys_every_digest_and_nothing_else() {
    let key = Key::for_function("f").digest("one").arg("#plain").digest("two").finish();
    let (open, keyed) = (key.tag("", None), keyed("s", &key));
    assert_eq!(open.len(), keyed.len());
    let parts = |tag: &str| tag.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (open, keyed) = (parts(&open), parts(&keyed));
    assert_eq!(open[1], keyed[1]);
    assert!(open[0] != keyed[0] && open[2] != keyed[2] && keyed[0][6..] != keyed[2]);
    for part in [&keyed[0][7..], &keyed[2][1..65]] {
        assert!(part.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}

#[test]
fn the_digest_of_a_long_argument_part_is_keyed_if_a_secret_is_in_it() {
    let long = "a".repeat(600);
    let with = Key::for_function("f").arg(&long).digest("one").finish();
    assert_eq!((with.as_str().len(), places(&with)), (5 + 64, vec![5]));
    assert_ne!(keyed("s", &with), with.tag("", None));
    assert_ne!(keyed("s", &with), keyed("t", &with));
    assert_ne!(with, Key::for_function("f").arg(&long).digest("two").finish());

    let without = Key::for_function("f").arg(&long).finish();
    assert_eq!(keyed("s", &without), without.tag("", None));

    // Eight digests are too long for themselves.
    let many = (0..8).fold(Key::for_function("f"), |key, n| key.digest(&n)).finish();
    assert_eq!((many.as_str().len(), places(&many)), (5 + 64, vec![5]));
}

#[test]
fn the_place_of_a_secret_is_part_of_what_a_key_is() {
    let secret = Key::for_function("f").digest("one").finish();
    let digest = secret.as_str()["f:v1(".len()..].trim_end_matches(')').to_owned();
    let plain = Key::for_function("f").text(&digest).finish();
    assert_eq!(secret.as_str(), plain.as_str());
    assert_ne!(secret, plain);
    assert_ne!(keyed("s", &secret), keyed("s", &plain));

    let elsewhere = Key::for_function("f").digest(&String::from("one")).finish();
    assert_eq!(secret, elsewhere);
    assert_eq!(keyed("s", &secret), keyed("s", &elsewhere));
    assert_ne!(keyed("s", &secret), keyed("t", &secret));
}

#[test]
fn a_secret_that_cannot_be_written_makes_the_key_unsound() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("tok-EXAMPLE-1"))
        }
    }
    let key = Key::for_function("f").digest(&Broken).finish();
    assert!(!key.is_sound());
    assert!(!format!("{key:?}").contains("tok"));
}

#[test]
fn nothing_shows_the_secret_of_a_cache() {
    let cache = crate::Cache::builder().key_secret("tok-EXAMPLE-1");
    assert!(format!("{cache:?}").contains("KeySecret(..)"));
    assert!(format!("{:?}", cache.build().tiers).contains("KeySecret(..)"));
}

proptest! {
    #[test]
    fn different_secrets_have_different_keys(a in (nasty(), tree()), b in (nasty(), tree())) {
        let key = |of: &(String, Tree)| Key::for_function("f").digest(&of.0).digest(&of.1).finish();
        prop_assert_eq!(a == b, key(&a) == key(&b));
        prop_assert_eq!(a == b, keyed("s", &key(&a)) == keyed("s", &key(&b)));
    }
}
