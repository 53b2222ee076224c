//! The facade under another path, as a crate finds it that renames it or gets it re-exported.
#![deny(warnings)]

extern crate herdless as caching;

mod framework {
    pub mod cache {
        pub use caching::*;
    }
}

/// Hides the name of the crate, which generated code must not use then.
mod herdless {}

#[caching::cached(ttl = 300, crate = caching)]
async fn renamed(id: u32) -> u32 {
    id
}

#[framework::cache::cached(ttl = 300, crate = crate::framework::cache)]
async fn exported(name: &str) -> usize {
    name.len()
}

struct Bank;

impl Bank {
    #[caching::cached(ttl = 300, crate = caching, skip(self))]
    async fn quote(&self, day: u32) -> u32 {
        day
    }
}

fn main() {
    let _ = (renamed(1), exported("a"), Bank.quote(1));
}
