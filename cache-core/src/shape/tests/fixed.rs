//! The same fingerprint in every build and on every machine: a change here is a cold start for
//! everybody, so it is made on purpose (and raises `EDITION`).
#![expect(dead_code, reason = "only types count")]

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct User {
    id: u32,
    name: String,
    tags: Vec<String>,
    plan: Option<Plan>,
}

#[derive(Deserialize)]
enum Plan {
    Free,
    Paid { cents: u64 },
    Team(Vec<User>),
}

#[test]
fn fingerprints_are_what_they_were() {
    let ids = [id::<u32>(), id::<String>(), id::<User>(), id::<BTreeMap<String, Plan>>()];
    let shape = of::<User>().shape(1, None).0;
    assert_eq!(
        ids.map(|id| format!("{id:016x}")),
        ["3a63c30e71dff171", "2d03551cd1ab18e8", "d06d41ee22c77397", "d86c0a9761b8951c"]
    );
    assert_eq!(format!("{shape:016x}"), "63f0f9dcb5b1b74b");
}

/// Measured on the machine at hand; the bound is far away from it.
#[test]
fn a_walk_is_cheap() {
    let began = std::time::Instant::now();
    for _ in 0..100 {
        report::<User>();
    }
    let each = began.elapsed() / 100;
    println!("a walk over a struct with a recursive enum takes {each:?}");
    assert!(each < std::time::Duration::from_millis(20));
}
