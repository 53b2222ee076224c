//! What a hand writes that knows another library, and what it is told.

use super::check;

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
    ] {
        check(written, told, guilty);
    }
}
