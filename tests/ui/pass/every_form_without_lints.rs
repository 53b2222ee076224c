//! A strict crate sees nothing of the wrappers.
#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#![deny(unused_qualifications, unused_lifetimes, unsafe_code, let_underscore_drop)]
#![deny(non_snake_case, rust_2018_idioms, rust_2024_compatibility, single_use_lifetimes)]
#![deny(unused_results, trivial_casts, elided_lifetimes_in_paths, redundant_lifetimes)]

use std::future::Future;
use std::pin::Pin;

use herdless::cached;

/// Owned arguments.
#[cached(ttl = 300, strategy = "xfetch", beta = 1.5, jitter = 30)]
pub async fn movable(id: u32) -> Result<u32, String> {
    if id == 0 {
        return Err("none".to_owned());
    }
    Ok(id)
}

/// Borrowed arguments, copied for a load that leaves.
#[cached(ttl = 300, detach = true)]
pub async fn lent(name: &str, ids: &[u32]) -> usize {
    name.len() + ids.len()
}

/// Borrowed arguments.
#[cached(ttl = "5m", key = "name:{name}", skip(_pool))]
pub async fn borrowing(name: &str, _pool: &[u8]) -> Option<usize> {
    Some(name.len())
}

/// Named lifetimes.
#[cached(ttl = 300)]
pub async fn named<'a, 'b>(a: &'a str, b: &'b str) -> usize
where
    'a: 'b,
{
    a.len() + b.len()
}

/// Any argument.
#[cached(ttl = 300)]
pub async fn generic<T: serde::Serialize + Send, const N: usize>(id: T) -> usize {
    drop(id);
    N
}

/// Patterns, unused arguments.
#[cached(ttl = 300)]
pub async fn patterned((a, b): (u32, u32), mut c: u32, _: u8, _d: u8) -> u32 {
    c += a;
    c + b
}

/// Never ends well.
#[cached(ttl = 300)]
pub async fn never(id: u32) -> u32 {
    unimplemented!("{id}")
}

/// Nothing to store.
#[cached(ttl = 300)]
pub async fn nothing(_id: u32) {}

/// A bank.
#[derive(Debug)]
pub struct Bank {
    rate: u32,
}

impl Bank {
    const TTL: std::time::Duration = std::time::Duration::from_secs(5);

    /// A method.
    #[cached(ttl = Self::TTL, key = "{self.rate}{day}")]
    pub async fn quote(&self, day: u32) -> u32 {
        self.rate * day
    }

    /// A method of what is mutable.
    #[cached(ttl = 300, skip(self))]
    pub async fn raise(&mut self, by: u32) -> u32 {
        self.rate += by;
        self.rate
    }

    /// An associated function.
    #[cached(ttl = 300)]
    pub async fn by_rate(rate: u32) -> u32 {
        Self { rate }.rate
    }

    /// A boxed future.
    #[cached(ttl = 300, skip(self))]
    pub fn boxed(&self, day: u32) -> Pin<Box<dyn Future<Output = u32> + Send + '_>> {
        Box::pin(async move { self.rate * day })
    }
}

/// Rates.
pub trait Rates {
    /// A rate.
    fn rate(&self, day: u32) -> impl Future<Output = u64> + Send;
}

impl Rates for Bank {
    #[cached(ttl = 300, skip(self))]
    async fn rate(&self, day: u32) -> u64 {
        u64::from(self.rate + day)
    }
}

fn main() {}
