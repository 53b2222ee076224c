use super::*;
use crate::key::Key;

fn family(identity: &str) -> Family {
    Family::new("shop", identity, 1, true)
}

fn has(identity: &str, key: &str) -> bool {
    family(identity).has(key)
}

#[test]
fn a_family_is_all_arguments_of_one_identity_and_version() {
    assert!(has("a::rows", "a::rows:v1()"));
    assert!(has("a::rows", "a::rows:v1(7)"));
    assert!(has("a::rows", "a::rows:v1#0123"), "many arguments");
    for other in
        ["a::rows_of:v1(7)", "a::rows:v11(7)", "a::rows:v2(7)", "a::row:v1(7)", "rows:v1(7)"]
    {
        assert!(!has("a::rows", other), "{other}");
    }
    let wild = Family::new("", "a*?[x]", 1, false);
    assert!(wild.has("a*?[x]:v1(1)") && !wild.has("abcx:v1(1)"));
}

#[test]
fn type_arguments_belong_to_it() {
    assert!(has("a::rows", "a::rows<u32>:v1(7)"));
    assert!(has("a::rows", "a::rows<fn(u8) -> b::C<u32>, 3>:v1(7)"));
    assert!(!has("a::rows", "a::rows<u32>::of:v1(7)"), "a method of a type with that name");
    assert!(has("a::Bank<_>::quote", "a::Bank<(u8, b::C<u16>)>::quote:v1(7)"));
    assert!(has("a::Bank<_, _>::quote", "a::Bank<u8, b::C<u8, u16>>::quote<u8>:v1(7)"));
    assert!(has("<_ as a::Rates>::quote", "<fn(u8) -> u8 as a::Rates>::quote:v1(7)"));
    assert!(!has("a::Bank<_>::quote", "a::Bank<u8>::quote_of:v1(7)"));
    assert!(!has("a::Bank<_>::quote", "a::Bank<u8>::other<a::Bank<u8>::quote:v1(7)"));
    let named = Family::new("", "rates", 1, false);
    assert!(named.has("rates:v1(7)") && named.has("rates<u16><u32>:v1(7)"));
}

#[test]
fn an_identity_that_was_cut_is_compared_as_far_as_it_goes() {
    let long = format!("a::rows<{}>", "b::LongName".repeat(60));
    let key = Key::for_function(&long).arg(&7).finish();
    assert!(key.as_str().len() < long.len());
    assert!(has("a::rows", key.as_str()));
    assert!(has("a::_::rows", Key::for_function(&format!("a::{long}")).finish().as_str()));
    assert!(!has("a::row", key.as_str()) && !has("a::rows_of", key.as_str()));
    let whole = "a::".repeat(300);
    let key = Key::for_function(&whole).arg(&7).finish();
    assert!(has(&whole, key.as_str()) || Family::new("", &whole, 1, false).has(key.as_str()));
}

#[test]
fn names_of_a_store_lead_to_the_key_they_are_beside() {
    let family = Family::new("s{*}:", "a::rows", 1, true);
    let tag = Key::for_function("a::rows").arg("}{").finish().tag("s{*}:", None);
    for suffix in ["", ":lease", ":load", ":mark"] {
        assert_eq!(family.tag_of(&format!("{tag}{suffix}")), Some(&*tag), "{suffix}");
    }
    assert_eq!(family.tag_of(&format!("{tag}:gen")), None, "there is nothing to remove");
    assert!(tag.starts_with(&family.prefix()));
    assert_eq!(family.tag_of(&tag.replacen("s%", "t%", 1)), None, "another namespace");
    assert_eq!(family.tag_of("{s"), None);
}
