//! Which function a key is of: paths, names, and that nothing else can read like another one's.

use super::*;

fn check(raw: &str, identity: &str) {
    assert_eq!(identity_of(raw), identity, "{raw}");
}

#[test]
fn identities_come_from_the_compilers_names() {
    check("shop::rows::{{closure}}", "shop::rows");
    check("shop::r#match::{{closure}}", "shop::match");
    check("shop::outer::{{closure}}::inner::{{closure}}", "shop::outer::inner");
    check("shop::width<u64>::{{closure}}", "shop::width<u64>");
    let quote = "<shop::Bank<u16> as shop::Rates>::quote";
    check(&format!("{quote}::{{{{closure}}}}"), quote);
    let two = "shop::two<alloc::vec::Vec<u8>, fn() -> u8>";
    check(two, two);
}

#[test]
fn lifetimes_are_left_out() {
    check("shop::pick<'a, &'a str>::{{closure}}", "shop::pick<&str>");
    check("shop::pick<shop::Held<'_>>", "shop::pick<shop::Held>");
    check("shop::pick<shop::Held<'_, '_, &str>>", "shop::pick<shop::Held<&str>>");
    check("shop::pick<fn(&'_ u8, &'_ mut u8) -> &'_ u8>", "shop::pick<fn(&u8, &mut u8) -> &u8>");
    check("<shop::Held<'_> as shop::Rates<'_, u8>>::at", "<shop::Held as shop::Rates<u8>>::at");
}

#[test]
fn constants_stay_as_they_are() {
    for constant in [
        "'a'",
        r"'\''",
        r"'\\'",
        r"'\n'",
        "'\"'",
        "'<'",
        "'>'",
        "','",
        "' '",
        "'{'",
        "'é'",
        "'_'",
        r"'\u{301}'",
        "-1",
        "i128::MIN",
        "true",
        "\"\"",
        "\"<>, 'a\"",
        r#""\"{{closure}}\\""#,
    ] {
        for name in [
            format!("shop::of<{constant}>"),
            format!("shop::of<{constant}, {constant}, u8>"),
            format!("<shop::Of<{constant}> as shop::Rates>::at"),
        ] {
            check(&name, &name);
            assert!(!has_nameless_argument(&name), "{name}");
        }
        let mixed = format!("shop::of<'a, {constant}, shop::Held<'_, {constant}>, &'_ str>");
        check(&mixed, &format!("shop::of<{constant}, shop::Held<{constant}>, &str>"));
    }
    check("shop::of<'a, 'b, 'a'>", "shop::of<'a'>");
}

#[test]
fn a_name_keeps_what_differs_between_instances() {
    for (base, path, arguments) in [
        ("shop::rows", "shop::rows", ""),
        ("shop::width", "shop::width<u64>", "<u64>"),
        ("shop::Bank<_>::rate", "shop::Bank<u8>::rate<'>', fn() -> u8>", "<u8><'>', fn() -> u8>"),
        ("shop::<impl shop::Bank<_>>::rate", "shop::<impl shop::Bank<u8>>::rate", IMPL),
        ("<shop::Bank<_> as shop::Rates>::at", "<shop::Bank<u8> as shop::Rates>::at", "<u8>"),
        ("<dyn shop::Any<_>>::at", "<dyn shop::Any<u8>>::at", "<u8>"),
        ("<&mut shop::Bank<_> as shop::At>::at", "<&mut shop::Bank<u8> as shop::At>::at", "<u8>"),
        ("<shop::Bank as shop::Rates<_>>::at", "<shop::Bank as shop::Rates<u8>>::at<u16>", BOTH),
        // The type itself may differ.
        ("shop::Rates::at", "<shop::Bank as shop::Rates>::at", "<shop::Bank>"),
        (
            "shop::Rates::at",
            "<shop::Of<'>'> as shop::Rates<u8>>::at<u16>",
            "<shop::Of<'>'>><u8><u16>",
        ),
        ("<_ as shop::At>::at", "<alloc::vec::Vec<u8> as shop::At>::at", "<alloc::vec::Vec<u8>>"),
        ("<[_; 4] as shop::At>::at", "<[u8; 4] as shop::At>::at", "<[u8; 4]>"),
        ("<[u8; N] as shop::At>::at", "<[u8; 4] as shop::At>::at", "<[u8; 4]>"),
        ("<(_, _) as shop::At>::at", "<(u8, shop::r#as) as shop::At>::at", "<(u8, shop::r#as)>"),
        ("<fn(_) -> _ as shop::At>::at", "<fn(u8) -> u16 as shop::At>::at", "<fn(u8) -> u16>"),
        ("<[_] as shop::At>::at", "<[<u8 as shop::Is>::Not] as shop::At>::at", PROJECTION),
    ] {
        assert_eq!(arguments_of(path, base), arguments, "{path}");
    }
}

const IMPL: &str = "<impl shop::Bank<u8>>";
const BOTH: &str = "<u8><u16>";
const PROJECTION: &str = "<[<u8 as shop::Is>::Not]>";

#[test]
fn some_types_may_print_like_others() {
    for raw in [
        "shop::of<fn(&'_ u8)>",
        "shop::of<fn(&u8)>",
        "shop::of<fn(u8) -> shop::Held<'_>>",
        "shop::of<unsafe extern \"C\" fn(*const u8, &u8)>",
        "shop::of<alloc::boxed::Box<dyn core::ops::function::Fn(&'_ u8) -> u8>>",
        "shop::of<&dyn shop::Rates<'_>>",
        "shop::of<shop::main::{{closure}}::Row>",
        "<fn(&u8) as shop::Rates>::at",
    ] {
        assert!(may_have_homonyms(raw) && !has_nameless_argument(raw), "{raw}");
    }
    for raw in [
        "shop::of<&str, shop::Held<'_>>",
        "shop::of<fn(u8) -> u8, &'_ str>",
        "shop::of<(dyn shop::Rates, &u8)>",
        "shop::of<alloc::boxed::Box<dyn shop::Rates>, &u8>",
        "shop::fn_of<shop::dynamic, &u8>",
        "shop::main::{{closure}}::of<u8>::{{closure}}",
    ] {
        assert!(!may_have_homonyms(raw), "{raw}");
    }
    assert!(has_nameless_argument("shop::of<shop::main::{{closure}}>::{{closure}}"));
    assert!(has_nameless_argument("<[shop::a::{{closure}}; 2] as shop::At>::at"));
    assert!(!has_nameless_argument("shop::of<'{', shop::a::{{closure}}::Row>::{{closure}}"));
}

#[test]
fn an_identity_cannot_go_on_in_a_template() {
    let imitating = Key::for_function("a:v1(1)").arg(&5).finish();
    assert_eq!(imitating.as_str(), "a%3Av1(1):v1(5)");
    assert_eq!(Key::for_function("a").text("1):v1(").arg(&5).finish().as_str(), "a:v1(1):v1(5)");
    for (identity, written) in [
        ("a::b<c::d>", "a::b<c::d>"),
        ("a:b", "a%3Ab"),
        ("a::", "a%3A%3A"),
        ("::a", "%3A%3Aa"),
        ("a:::b", "a%3A%3A%3Ab"),
        ("a%3Ab", "a%253Ab"),
        ("of<':'>", "of<'%3A'>"),
        ("", ""),
    ] {
        assert_eq!(bounded(identity), written);
    }
    let long = "ab::".repeat(200) + "c";
    for start in 0..4 {
        let written = bounded(&long[start..]).replace("::", "");
        assert!(start == 2 || !written.contains(':'), "{written}"); // 2: begins with a pair
    }
}

/// All texts of up to so many pieces that try to be the rest of a key.
fn rests(longest: usize) -> Vec<String> {
    let pieces = ["a", ":", "::", "v1", "(1)", ":v1(", ":v2#"];
    let (mut all, mut last) = (vec![String::new()], vec![String::new()]);
    for _ in 0..longest {
        last = last.iter().flat_map(|text| pieces.map(|piece| text.clone() + piece)).collect();
        all.extend_from_slice(&last);
    }
    all.sort();
    all.dedup();
    all
}

#[test]
fn no_part_of_a_key_reads_like_another() {
    let mut seen = HashMap::new();
    let identities = rests(2).into_iter().flat_map(|rest| [format!("a{rest}"), format!(":{rest}")]);
    for identity in identities.collect::<std::collections::BTreeSet<_>>() {
        for text in rests(3) {
            for version in [1, 2] {
                let key = Key::for_version(&identity, version).text(&text).finish();
                for namespace in ["", "a", "a:", ":a"] {
                    let parts = (namespace, identity.clone(), version, text.clone());
                    if let Some(other) = seen.insert(key.tag(namespace, None), parts.clone()) {
                        panic!("{other:?} and {parts:?} share {}", key.tag(namespace, None));
                    }
                }
            }
        }
    }
    assert!(seen.len() > 100_000);
}

proptest! {
    #[test]
    fn namespace_and_identity_do_not_run_together(a in ("[a:%]{0,3}", "[a:]{1,3}"), b in ("[a:%]{0,3}", "[a:]{1,3}")) {
        let tag = |of: &(String, String)| Key::for_function(&of.1).arg(&1).finish().tag(&of.0, None);
        prop_assert_eq!(a == b, tag(&a) == tag(&b), "{}", tag(&a));
    }
}
