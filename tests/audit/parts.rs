//! Templates that put only a part of an argument into the key, and messages that name everything.

#![allow(dead_code, reason = "the audit lists what is never called")]

use std::time::Duration;

use herdless::{audit, cached};

use crate::functions::{PgConnection, Pool};
use crate::{function, messages_of};

const OFF: Duration = Duration::ZERO;

pub(crate) struct User {
    id: u64,
    locale: &'static str,
    tenant: Tenant,
}

struct Tenant {
    plan: u8,
    uuid: u128,
}

#[derive(Clone, serde::Serialize)]
pub(crate) struct UserId(u64);

#[cached(ttl = 60, jitter = 6, key = "{id}:{user.locale}", detach = false)]
async fn by_locale(id: u32, user: &User) -> u32 {
    id + u32::from(user.locale == "eu")
}

#[cached(ttl = 60, jitter = 6, key = "{user.0}")]
async fn by_half(user: (String, String)) -> String {
    user.0 + &user.1
}

#[cached(ttl = 60, jitter = 6, key = "{user.tenant.plan}:{user.locale}", detach = false)]
async fn by_plan(user: &User) -> u8 {
    user.tenant.plan
}

#[cached(
    ttl = 60,
    jitter = 6,
    key = "of:{account}",
    hash(session),
    plain(account),
    skip(pool),
    detach = false
)]
async fn whole(pool: &Pool, session: &str, account: u32) -> u32 {
    let Pool = pool;
    account + u32::from(session.is_empty())
}

#[cached(ttl = 60, jitter = 6, key = "{session.0}", hash(session))]
async fn half_a_digest(session: (String, u8)) -> u8 {
    session.1
}

#[cached(ttl = 60, jitter = 6, key = "{user.id}:{user.locale}", detach = false)]
async fn by_id(user: &User) -> u64 {
    user.id
}

#[cached(ttl = 60, jitter = 6, key = "{user.tenant.uuid}", detach = false)]
async fn by_tenant(user: &User) -> u128 {
    user.tenant.uuid
}

#[cached(ttl = 60, jitter = 6, key = "{user.0}")]
async fn by_newtype(user: UserId) -> u64 {
    user.0
}

#[cached(ttl = 60, jitter = 6, key = "{user}:{user.0}")]
async fn by_all(user: UserId) -> u64 {
    user.0
}

struct Account {
    id: u32,
    balance: u32,
}

trait Balance {
    fn overdraft(&self) -> impl Future<Output = u32> + Send;
}

impl Account {
    #[cached(ttl = 60, jitter = 6, skip(self), detach = false)]
    async fn balance(&self) -> u32 {
        self.balance
    }

    #[cached(ttl = 60, jitter = 6, key = "{self.id}", detach = false)]
    async fn own_balance(&self) -> u32 {
        self.balance
    }
}

impl Balance for Account {
    #[cached(ttl = 60, jitter = 6, skip(self), detach = false)]
    async fn overdraft(&self) -> u32 {
        self.balance
    }
}

struct AccountRepository;

impl AccountRepository {
    #[cached(ttl = 60, jitter = 6, skip(self), detach = false)]
    async fn number(&self) -> u32 {
        1
    }
}

/// Nobody's identity.
#[cached(ttl = 60, jitter = 6, key = "{pair.0}")]
async fn by_first(pair: (u32, u32)) -> u32 {
    pair.0
}

#[cached(ttl = 60, jitter = 6, skip(first, second), detach = false)]
async fn two_links(first: &mut PgConnection, second: &mut PgConnection, id: u32) -> u32 {
    let (PgConnection, PgConnection) = (first, second);
    id
}

#[cached(ttl = 60, jitter = 6, strategy = "swr", grace = OFF, reason = "switched off")]
async fn swr_without_grace(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, jitter = 6, wait = OFF)]
async fn no_wait(id: u32) -> u32 {
    id
}

#[test]
fn a_part_that_tells_nobody_apart_is_found() {
    let audit = audit();
    for (name, expected) in [
        ("by_locale", "only `user.locale` of `user: &User` is in the key"),
        ("by_half", "only `user.0` of `user: (String, String)` is in the key"),
        ("by_plan", "only `user.tenant.plan`, `user.locale` of `user: &User` is in the key"),
        ("half_a_digest", "only `session.0` of `session: (String, u8)` is in the key"),
    ] {
        let found = messages_of(&audit, name);
        assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    }
    for name in ["whole", "by_id", "by_tenant", "by_newtype", "by_all", "by_first"] {
        assert_eq!(messages_of(&audit, name), Vec::<String>::new());
    }
    let parameter = function(&audit, "by_id").arguments[0];
    assert_eq!((parameter.role, parameter.parts), ("key", &["user.id", "user.locale"][..]));
    assert!(audit.markdown().contains("- arguments: `user: &User` (key: user.id, user.locale)\n"));
}

#[test]
fn a_receiver_that_is_somebody_is_found_where_it_is_skipped() {
    let audit = audit();
    let mut about = Vec::new();
    for one in audit.findings() {
        about.push(format!("{} {one}", one.function()));
    }
    let skips = |function: &str| {
        about.iter().any(|one| one.contains(function) && one.contains("`self` is not in the key"))
    };
    assert!(skips("Account::balance:") && skips("Balance>::overdraft:"), "{about:#?}");
    assert!(!skips("own_balance") && !skips("AccountRepository::number"), "{about:#?}");
}

#[test]
fn every_connection_is_named() {
    let found = messages_of(&audit(), "two_links");
    assert_eq!(found.len(), 1);
    let both = "`first: &mut PgConnection`, `second: &mut PgConnection`";
    assert!(found[0].contains(both), "{found:?}");
}

#[test]
fn zeros_that_make_no_sense() {
    let audit = audit();
    let found = messages_of(&audit, "swr_without_grace");
    assert!(found.len() == 1 && found[0].contains("`grace` is zero"), "{found:?}");
    let found = messages_of(&audit, "no_wait");
    assert!(found[0].contains("`wait` of 0 s takes effect as 10 ms"), "{found:?}");
}
