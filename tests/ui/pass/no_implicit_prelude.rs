//! Generated code needs no prelude.
#![no_implicit_prelude]
#![deny(warnings)]

use ::herdless::cached;

#[cached(ttl = 300)]
async fn movable(id: u32) -> u32 {
    id
}

#[cached(ttl = 300, detach = true)]
async fn lent(name: &str) -> usize {
    name.len()
}

#[cached(ttl = "1h", key = "{name}", timeout = 5, name = "borrowing")]
async fn borrowing(name: &str) -> ::std::result::Result<usize, Failed> {
    ::std::result::Result::Ok(name.len())
}

struct Failed;

impl ::std::convert::From<::herdless::LoadFailed> for Failed {
    fn from(_: ::herdless::LoadFailed) -> Self {
        Self
    }
}

struct Bank;

impl Bank {
    #[cached(ttl = 300, skip(self))]
    async fn quote(&self, day: u32) -> u32 {
        day
    }
}

fn main() {
    let _ = (movable(1), lent("a"), borrowing("a"), Bank.quote(1));
}
