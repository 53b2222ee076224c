//! Functions whose type parameters are closures, futures and iterators in most calls.

#![allow(dead_code, reason = "the audit lists what is never called")]

use std::future::IntoFuture;
use std::pin::Pin;

use herdless::{Check, audit, cached};

use crate::{function, messages_of};

#[cached(ttl = 60, jitter = 6, skip(f), detach = false)]
async fn with_impl(f: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(x)
}

#[cached(ttl = 60, jitter = 6, skip(f), detach = false)]
async fn with_parameter<F: FnOnce(u32) -> u32 + Send>(f: F, x: u32) -> u32 {
    f(x)
}

#[cached(ttl = 60, jitter = 6, skip(f), detach = false)]
async fn with_bounds_below<F, R>(f: F, x: u32) -> u32
where
    F: FnMut(u32) -> R,
    R: Future<Output = u32>,
{
    let mut f = f;
    f(x).await
}

#[cached(ttl = 60, jitter = 6, skip(f), detach = false)]
async fn with_async_closure(f: impl AsyncFn(u32) -> u32, x: u32) -> u32 {
    f(x).await
}

#[cached(ttl = 60, jitter = 6, skip(work), detach = false)]
async fn with_future(work: impl IntoFuture<Output = u32>, x: u32) -> u32 {
    work.await + x
}

#[cached(ttl = 60, jitter = 6, skip(rows), detach = false)]
async fn with_iterators(rows: Option<&mut impl Iterator<Item = impl Fn() -> u32>>, x: u32) -> u32 {
    rows.map_or(x, |rows| rows.map(|row| row()).sum())
}

/// All of these have names.
#[cached(ttl = 60, jitter = 6, skip(f, g, h, work, rows), detach = false)]
async fn with_names<T: Into<u32> + Sync>(
    f: &(dyn Fn(u32) -> u32 + Sync),
    g: fn(u32) -> u32,
    h: Box<dyn Fn(u32) -> u32>,
    work: Pin<Box<dyn Future<Output = u32>>>,
    rows: impl IntoIterator<Item = T>,
    x: u32,
) -> u32 {
    f(g(h(x))) + work.await + rows.into_iter().map(Into::into).sum::<u32>()
}

struct Rule;

impl Rule {
    #[cached(ttl = 60, jitter = 6, skip(self, f), detach = false)]
    async fn apply<F: Fn(u32) -> u32>(&self, f: F, x: u32) -> u32 {
        f(x)
    }
}

#[test]
fn what_has_no_name_is_found_before_it_is_called() {
    let audit = audit();
    for (name, expected) in [
        ("with_impl", "`f: impl Fn(u32) -> u32`"),
        ("with_parameter", "`F: FnOnce(u32) -> u32`"),
        ("with_bounds_below", "`F: FnMut(u32) -> R`, `R: Future<Output = u32>`"),
        ("with_async_closure", "`f: impl AsyncFn(u32) -> u32`"),
        ("with_future", "`work: impl IntoFuture<Output = u32>`"),
        ("with_iterators", "`rows: impl Iterator<Item = impl Fn() -> u32>`"),
        ("apply", "`F: Fn(u32) -> u32`"),
    ] {
        let found = messages_of(&audit, name);
        assert!(found.len() == 1 && found[0].contains(&format!("`: {expected}: ")), "{found:?}");
        assert!(found[0].contains("`&dyn ..`"), "{found:?}");
    }
    assert_eq!(messages_of(&audit, "with_names"), Vec::<String>::new());
    let found = audit.findings().into_iter().filter(|one| one.check() == Check::Nameless);
    assert_eq!(found.count(), 7);
    assert!(!function(&audit, "with_impl").detached);
}
