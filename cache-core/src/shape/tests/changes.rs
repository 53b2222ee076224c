//! A change of layout makes another shape; what is no change does not.
#![expect(dead_code, reason = "only types count")]

use super::*;

/// Two versions of a type `T`, each in a module of its own, as two deploys have them.
macro_rules! versions {
    ($($check:ident $change:ident: { $($before:item)* } { $($after:item)* })*) => {$(
        mod $change {
            versions!(module before $($before)*);
            versions!(module after $($after)*);
        }

        #[test]
        fn $change() {
            use $change::{after, before};
            $check(id::<before::T>(), id::<after::T>());
        }
    )*};
    (module $name:ident $($item:item)*) => {
        pub(super) mod $name {
            $(#[derive(serde::Deserialize)] $item)*
        }
    };
}

#[track_caller]
fn differ(before: u64, after: u64) {
    assert_ne!(before, after);
}

#[track_caller]
fn agree(before: u64, after: u64) {
    assert_eq!(before, after);
}

/// Accepts nothing that the walk would guess.
fn refuse<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    match serde::Deserialize::deserialize(deserializer)? {
        77 => Ok(77),
        _ => Err(serde::de::Error::custom("no")),
    }
}

versions! {
    differ a_field_added:
        { pub(crate) struct T { a: u8 } }
        { pub(crate) struct T { a: u8, b: bool } }
    differ a_field_with_a_default_added:
        { pub(crate) struct T { a: u8 } }
        { pub(crate) struct T { a: u8, #[serde(default)] b: bool } }
    differ a_field_removed:
        { pub(crate) struct T { a: u8, b: bool } }
        { pub(crate) struct T { b: bool } }
    differ two_fields_of_one_type_swapped:
        { pub(crate) struct T { width: u32, height: u32 } }
        { pub(crate) struct T { height: u32, width: u32 } }
    differ a_field_renamed:
        { pub(crate) struct T { name: String } }
        { pub(crate) struct T { title: String } }
    differ a_field_of_another_type:
        { pub(crate) struct T { a: u32 } }
        { pub(crate) struct T { a: i32 } }
    differ a_field_made_optional:
        { pub(crate) struct T { a: u32 } }
        { pub(crate) struct T { a: Option<u32> } }
    differ an_alias_added:
        { pub(crate) struct T { a: u32 } }
        { pub(crate) struct T { #[serde(alias = "b")] a: u32 } }
    differ the_type_renamed:
        { pub(crate) struct T { a: Cents } pub(crate) struct Cents(u64); }
        { pub(crate) struct T { a: Euros } pub(crate) struct Euros(u64); }
    differ a_variant_added:
        { pub(crate) enum T { A, B } }
        { pub(crate) enum T { A, B, C } }
    differ a_variant_removed:
        { pub(crate) enum T { A, B(u8), C } }
        { pub(crate) enum T { A, C } }
    differ variants_reordered:
        { pub(crate) enum T { A, B } }
        { pub(crate) enum T { B, A } }
    differ a_variant_renamed:
        { pub(crate) enum T { A, B } }
        { pub(crate) enum T { A, C } }
    differ the_content_of_the_last_variant:
        { pub(crate) enum T { A { x: u8 }, B { x: u8 } } }
        { pub(crate) enum T { A { x: u8 }, B { x: u16 } } }
    differ a_newtype_variant_made_a_tuple:
        { pub(crate) enum T { A((u8, u8)) } }
        { pub(crate) enum T { A(u8, u8) } }
    differ a_change_deep_inside:
        {
            pub(crate) struct T { items: Vec<Option<Box<Item>>> }
            pub(crate) struct Item { kind: Kind }
            pub(crate) enum Kind { Unit, Deep(std::collections::BTreeMap<String, Vec<Leaf>>) }
            pub(crate) struct Leaf { a: u32, b: u32 }
        }
        {
            pub(crate) struct T { items: Vec<Option<Box<Item>>> }
            pub(crate) struct Item { kind: Kind }
            pub(crate) enum Kind { Unit, Deep(std::collections::BTreeMap<String, Vec<Leaf>>) }
            pub(crate) struct Leaf { b: u32, a: u32 }
        }
    differ the_content_of_an_adjacently_tagged_enum:
        {
            #[serde(tag = "kind", content = "content")]
            pub(crate) enum T { A(Kind), B(Kind), C(Other) }
            pub(crate) enum Kind { A, B, C(u8) }
            pub(crate) enum Other { A, B, C(u8) }
        }
        {
            #[serde(tag = "kind", content = "content")]
            pub(crate) enum T { A(Kind), B(Kind), C(Other) }
            pub(crate) enum Kind { A, B, C(u8) }
            pub(crate) enum Other { A, B, C(i8) }
        }
    differ a_change_beside_a_recursion:
        { pub(crate) enum T { Both(Box<Self>, Box<Self>), Leaf(Leaf) } pub(crate) struct Leaf { a: u8 } }
        { pub(crate) enum T { Both(Box<Self>, Box<Self>), Leaf(Leaf) } pub(crate) struct Leaf { a: i8 } }
    differ a_change_within_mutual_recursion:
        {
            pub(crate) struct T { others: Vec<Other>, }
            pub(crate) enum Other { Back(Box<T>, u8), End }
        }
        {
            pub(crate) struct T { others: Vec<Other>, }
            pub(crate) enum Other { Back(Box<T>, u16), End }
        }
    differ a_recursion_to_another_type:
        {
            pub(crate) struct T { a: Option<Box<Self>>, b: Option<Box<U>> }
            pub(crate) struct U { a: Option<Box<T>>, b: Option<Box<T>> }
        }
        {
            pub(crate) struct T { a: Option<Box<Self>>, b: Option<Box<U>> }
            pub(crate) struct U { a: Option<Box<T>>, b: Option<Box<Self>> }
        }
    differ a_change_after_a_place_that_is_opaque:
        {
            pub(crate) struct T {
                #[serde(deserialize_with = "super::super::refuse")]
                first: u8,
                then: Vec<Leaf>,
            }
            pub(crate) enum Leaf { A, B(u8) }
        }
        {
            pub(crate) struct T {
                #[serde(deserialize_with = "super::super::refuse")]
                first: u8,
                then: Vec<Leaf>,
            }
            pub(crate) enum Leaf { A, B(i8) }
        }
    agree only_the_module_changed:
        { pub(crate) struct T { a: u8, b: Vec<Self> } }
        { pub(crate) struct T { a: u8, b: Vec<Self> } }
    agree a_box_around_it:
        { pub(crate) struct T { a: u8, b: String } }
        { pub(crate) struct T { a: Box<u8>, b: Box<str> } }
    agree a_field_that_serde_does_not_see:
        { pub(crate) struct T { a: u8 } }
        { pub(crate) struct T { a: u8, #[serde(skip)] b: String } }
    agree the_rust_names_behind_a_rename:
        { pub(crate) struct T { #[serde(rename = "type")] a: u8 } }
        { pub(crate) struct T { #[serde(rename = "type")] b: u8 } }
}

#[test]
fn the_version_is_part_of_the_shape() {
    let report = of::<u32>();
    assert_ne!(report.shape(1, None), report.shape(2, None));
    assert_eq!(report.shape(1, Some("shop 1")), report.shape(1, Some("shop 2")));
}

/// What the walk did not see may have changed with a release.
#[test]
fn a_release_counts_where_something_is_opaque() {
    let opaque = || vec![Opaque { path: String::new(), ty: "Decimal" }];
    let report = Report { id: 1, opaque: opaque(), asks_any: false, names: Names::default() };
    assert_ne!(report.shape(1, Some("shop 1")), report.shape(1, Some("shop 2")));
    assert_ne!(report.shape(1, Some("shop 1")), report.shape(1, None));
    let report = Report { id: 1, opaque: opaque(), asks_any: true, names: Names::default() };
    assert_eq!(report.shape(1, Some("shop 1")), report.shape(1, None));
}

#[test]
fn a_type_is_walked_once() {
    assert!(std::ptr::eq(of::<(u8, String)>(), of::<(u8, String)>()));
}
