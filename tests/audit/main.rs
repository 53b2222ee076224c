//! What the audit shows and finds, over the functions of this test alone.

mod functions;
mod nameless;
mod odd;
mod parts;

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::time::Duration;

use herdless::{Audit, Audited, Cache, Check, audit};

fn function<'a>(audit: &'a Audit, name: &str) -> &'a Audited {
    let ending = format!("::{name}:v1");
    let mut found = audit.functions().iter().filter(|one| one.identity.ends_with(&ending));
    let one = found.next().unwrap_or_else(|| panic!("{name} is missing in\n{audit}"));
    assert!(found.next().is_none(), "{name} is there twice");
    one
}

fn findings(audit: &Audit) -> BTreeSet<(String, String)> {
    let short = |identity: &str| identity.rsplit("::").next().unwrap().to_owned();
    let found = audit.findings().into_iter();
    found.map(|one| (short(one.function()), format!("{:?}", one.check()))).collect()
}

/// What the audit finds in one function.
fn messages_of(audit: &Audit, name: &str) -> Vec<String> {
    let identity = &function(audit, name).identity;
    let found = audit.findings().into_iter().filter(|one| one.function() == identity);
    found.map(|one| one.to_string()).collect()
}

#[test]
fn every_function_is_listed_once() {
    let audit = audit();
    let names: Vec<_> = audit.functions().iter().map(|one| one.identity.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    for expected in [
        "audit::functions::price:v1",
        "audit::functions::Shop::stock:v1",
        "<audit::functions::Shop as audit::functions::Rates>::rate:v1",
        "audit::functions::Shelf<_>::label:v1",
        "reports:v7",
    ] {
        assert!(names.contains(&expected), "{expected} is missing in {names:?}");
    }
}

#[test]
fn settings_are_resolved() {
    let audit = audit();
    let price = function(&audit, "price");
    assert_eq!((price.strategy, price.beta), ("xfetch", Some(2.0)));
    assert_eq!(price.ttl.span(), Some(Duration::from_secs(30)));
    assert_eq!(price.jitter.unwrap().to_string(), "3 s");
    assert_eq!(price.lease.to_string(), "3 s (default)");
    assert_eq!(price.timeout.unwrap().to_string(), "1500 ms");
    assert_eq!(price.none, None);
    assert!(price.detached && price.refreshes_behind && price.shared);
    let stock = function(&audit, "stock");
    assert_eq!(stock.ttl.to_string(), "`Self::TTL`", "only a call can tell");
    assert_eq!(stock.ttl.span(), None);
    assert!(!stock.detached && !stock.refreshes_behind);
    let feed = function(&audit, "feed");
    assert_eq!(feed.ttl.to_string(), "600 s = `FEED_TTL`");
    assert_eq!(feed.grace.unwrap().span(), Some(Duration::from_secs(60)));
    assert_eq!(feed.reason, "a minute old is fine");
    let roles: Vec<_> = feed.arguments.iter().map(|one| (one.name, one.ty, one.role)).collect();
    let expected =
        [("pool", "&Pool", "skip"), ("region", "&str", "key"), ("token", "String", "hash")];
    assert_eq!(roles, expected);
    assert!(!function(&audit, "not_send").detached, "asked by type, not by text");
}

#[test]
fn the_table_is_aligned_and_says_why() {
    let text = audit().to_string();
    let head = text.lines().next().unwrap();
    let column = |line: &str, at: usize| line.chars().skip(at).collect::<String>();
    let at = head.find("strategy").unwrap();
    let table = text.lines().take_while(|line| !line.starts_with("ttl: "));
    for line in table.filter(|line| !line.starts_with("    ")) {
        let cell = column(line, at);
        let known = ["strategy", "lock", "xfetch", "ahead", "swr", "jitter"];
        assert!(known.iter().any(|word| cell.starts_with(word)), "{line}");
    }
    assert!(text.contains("because: a minute old is fine"), "{text}");
    assert!(text.contains("60 s, refreshed by one caller"), "{text}");
    assert!(text.contains("at most 4 loads at once"), "{text}");
    assert!(text.contains("`None` is not stored"), "{text}");
}

#[test]
fn json_has_numbers_for_spans() {
    let json = serde_json::to_value(audit()).unwrap();
    let functions = json["functions"].as_array().unwrap();
    let price =
        functions.iter().find(|one| one["identity"] == "audit::functions::price:v1").unwrap();
    assert_eq!(price["ttl"], 30_000.0);
    assert_eq!(price["arguments"][0]["type"], "u64");
    assert_eq!(price["concurrency"], 4);
    let stock = functions.iter().find(|one| one["identity"] == "audit::functions::Shop::stock:v1");
    assert_eq!(stock.unwrap()["ttl"], "Self::TTL");
}

#[test]
fn the_snapshot_is_true() {
    audit().assert_snapshot("tests/audit/caches.md");
}

#[test]
fn what_looks_wrong() {
    let expected = [
        ("no_jitter:v1", "NoJitter"),
        ("eager:v1", "Beta"),
        ("short_grace:v1", "ShortGrace"),
        ("long_lease:v1", "Lease"),
        ("lease_over_wait:v1", "Lease"),
        ("timeout_over_wait:v1", "Timeout"),
        ("skipped_user:v1", "SkippedIdentity"),
        ("borrowed:v1", "InlineLoad"),
        ("not_send:v1", "InlineLoad"),
        ("connected:v1", "Connection"),
        ("for_a_context:v1", "SkippedIdentity"),
        ("within:v1", "Connection"),
        ("switched_off:v1", "NotStored"),
        ("out_of_bounds:v1", "OutOfBounds"),
        ("out_of_bounds:v1", "Lease"),
        ("long_none:v1", "OutOfBounds"),
        ("zero_jitter:v1", "NoJitter"),
        ("panicking:v1", "Panics"),
        ("one_of_two:v1", "Panics"),
        ("lease_over_timeout:v1", "Lease"),
        ("long_wait:v1", "Wait"),
        ("long_timeout:v1", "Timeout"),
        ("with_impl:v1", "Nameless"),
        ("with_parameter:v1", "Nameless"),
        ("with_bounds_below:v1", "Nameless"),
        ("with_async_closure:v1", "Nameless"),
        ("with_future:v1", "Nameless"),
        ("with_iterators:v1", "Nameless"),
        ("apply:v1", "Nameless"),
        ("by_locale:v1", "SkippedIdentity"),
        ("by_half:v1", "SkippedIdentity"),
        ("by_plan:v1", "SkippedIdentity"),
        ("half_a_digest:v1", "SkippedIdentity"),
        ("two_links:v1", "Connection"),
        ("swr_without_grace:v1", "ShortGrace"),
        ("balance:v1", "SkippedIdentity"),
        ("overdraft:v1", "SkippedIdentity"),
        ("no_wait:v1", "OutOfBounds"),
        ("no_wait:v1", "Lease"),
    ];
    let expected: BTreeSet<_> =
        expected.iter().map(|(name, check)| ((*name).to_owned(), (*check).to_owned())).collect();
    assert_eq!(findings(&audit()), expected);

    let panic = catch_unwind(|| audit().assert_clean()).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert_eq!(text.lines().count(), 1 + expected.len(), "{text}");
    assert!(text.contains("tests/audit/functions.rs:"), "{text}");
    assert!(text.contains("`user_id` is not in the key"), "{text}");

    let mut allowing = audit();
    for finding in audit().findings() {
        allowing = allowing.allow(finding.check(), finding.function());
    }
    allowing.assert_clean();
    let one = audit().allow(Check::InlineLoad, "::borrowed");
    assert_eq!(findings(&one).len(), expected.len() - 1, "an allowance is for one function");
}

/// The one test that installs a cache: what it asks depends on it.
#[test]
fn what_is_left_on_the_default_of_each_process() {
    let left = |audit: &Audit| -> Vec<_> {
        let found = audit.findings().into_iter().filter(|one| one.check() == Check::NotShared);
        found.map(|one| one.function().to_owned()).collect()
    };
    let before = left(&audit().require_shared());
    assert!(before.contains(&"audit::functions::price:v1".to_owned()), "{before:?}");
    assert!(!before.iter().any(|one| one.contains("in_process")), "that one says so: {before:?}");
    assert!(before.contains(&"reports:v7".to_owned()), "nothing has that name: {before:?}");
    assert_eq!(left(&audit()), Vec::<String>::new(), "only where it is asked for");

    let store = herdless::RedisStore::connect("redis://127.0.0.1:1").unwrap();
    let shared = Cache::builder().store(store).lease(Duration::from_secs(3)).build();
    herdless::install(shared.clone()).unwrap();
    let named = ["audit::functions::absent:v1", "audit::functions::scratched:v1"];
    assert_eq!(left(&audit().require_shared()), [named[0], named[1], "reports:v7"]);
    herdless::install_named("reports", shared).unwrap();
    herdless::install_named("scratch", Cache::builder().build()).unwrap();
    assert_eq!(left(&audit().require_shared()), named, "the one it has keeps nothing in a store");
}
