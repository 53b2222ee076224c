//! What a hand writes that knows another library, and what it is told.

use super::{accept, check, check_function};

#[test]
fn words_that_are_nearly_right() {
    for (written, told, guilty) in [
        ("TTL = 5", "did you mean `ttl`?", "TTL"),
        ("ttl = 5, jiter = 1", "did you mean `jitter`?", "jiter"),
        ("ttl = 5, versions = 1", "did you mean `version`?", "versions"),
        ("ttl = 5, leese = 1", "did you mean `lease`?", "leese"),
        ("ttl = 5, swr", "write `strategy = \"swr\"`; known are", "swr"),
        ("ttl = 5, colour = 1", "unknown argument `colour`: known are", "colour"),
        ("ttl = 5 * 60", "whole seconds are one number, so write 300", "5"),
        ("ttl = 5, none = skip", "write `none = \"skip\"`", "skip"),
        ("ttl = 5, crate = \"herdless\"", "write the path without quotes", "\"herdless\""),
        ("ttl = 5, detach = \"true\"", "write `detach`, `detach = true` or", "\"true\""),
        ("ttl = 5, share_errors = yes", "write `share_errors`, `share_errors = true`", "yes"),
        ("ttl = 5, version = 99999999999", "must be at most 4294967295", "99999999999"),
        ("ttl = 5, version = -2", "must be a whole number", "-2"),
        ("ttl_from = \"life\", ttl = 5", "without quotes", "\"life\""),
        ("ttl = 5, cache = \"\"", "this text is empty", "\"\""),
        ("ttl = 5, jitter = 0", "`jitter` is zero: write for how long, or leave it out", "0"),
        ("ttl = 5, wait = \"0s\"", "`wait` is zero", "\"0s\""),
    ] {
        check(written, told, guilty);
    }
}

#[test]
fn types_that_are_secrets() {
    let typed = |ty: &str| format!("async fn find(login: {ty}) -> u32 {{ 1 }}");
    check_function(&typed("&auth::Password"), "`Password` looks like a secret", "auth::Password");
    check_function(&typed("AccessToken"), "write `hash(login)` for a digest", "AccessToken");
    accept("ttl = 300, plain(login)", &typed("Password"));
    accept("ttl = 300", &typed("Pin<Box<u8>>"));
    check_function("async fn find(apiKey: u8) -> u32 { 1 }", "looks like a secret", "apiKey");
}

#[test]
fn parameters_that_may_not_be_there() {
    let under = |attribute: &str| format!("async fn find({attribute} id: u32) -> u32 {{ 1 }}");
    let message = "a parameter under `cfg` cannot be cached";
    check_function(&under("#[cfg(unix)]"), message, "#");
    check_function(&under("#[cfg_attr(unix, cfg(test))]"), message, "#");
    accept("ttl = 300", &under("#[cfg_attr(unix, allow(unused))]"));
}
