//! Case M09: where every lint is denied, the attribute adds no finding, and hides none.
#![deny(warnings, missing_docs, clippy::pedantic)]
#![allow(
    clippy::unused_async,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "the functions below ask for these without the attribute too"
)]

use std::fmt::Display;

use herdless::cached;
use serde::{Deserialize, Serialize};

/// Serves.
#[cached(ttl = 300)]
pub async fn serve(port: u16) -> Result<u16, String> {
    if port == 0 {
        return Err("none".to_owned());
    }
    Ok(port)
}

/// Never returns.
#[cached(ttl = 300)]
pub async fn boom(x: u8) -> u8 {
    let _ = x;
    unimplemented!()
}

#[cached(ttl = 300)]
#[expect(dead_code, reason = "a function that nobody calls is still reported")]
async fn never_called(x: u8) -> u8 {
    x
}

#[cached(ttl = 300)]
#[expect(unused_variables, reason = "an argument that the body does not use is still reported")]
async fn unused(used: u8, unused: u8) -> u8 {
    used
}

#[cached(ttl = 300)]
async fn unused_here(used: u8, #[expect(unused_variables, reason = "reported")] it: u8) -> u8 {
    used
}

/// Every kind of parameter.
#[cached(ttl = 300)]
pub async fn parameters(
    text: &str,
    (a, b): (u8, u8),
    mut rest: u64,
    _: u8,
    _unused: bool,
    shown: Option<impl Display + Serialize>,
) -> u64 {
    rest += u64::from(a) + u64::from(b) + text.len() as u64;
    rest + shown.map_or(0, |shown| shown.to_string().len() as u64)
}

/// Generic.
#[cached(ttl = 300)]
pub async fn generic<'a, T, const N: usize>(items: &'a [T; N]) -> String
where
    T: Display + Serialize + 'a,
    [T; N]: Serialize,
{
    items.iter().map(ToString::to_string).collect()
}

/// Sleepy.
#[must_use]
#[cached(ttl = "5m", strategy = "swr", grace = "1m", jitter = 3, reason = "a test")]
pub async fn must_use(id: u32) -> Option<u32> {
    Some(id)
}

/// Recursive.
#[cached(ttl = 300, strategy = "xfetch", concurrency = 2)]
pub async fn recursive(n: u64) -> u64 {
    if n == 0 { 1 } else { n * Box::pin(recursive(n - 1)).await }
}

/// A shop.
#[derive(Debug, Clone, Copy)]
pub struct Shop(u32);

/// A parcel.
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::unsafe_derive_deserialize, reason = "documented: the registration is a section")]
pub struct Parcel(u32);

impl Parcel {
    /// Weighs it.
    #[cached(ttl = 300, key = "{self.0}")]
    pub async fn weigh(&self) -> u32 {
        self.0
    }
}

/// Prices.
pub trait Prices {
    /// One price.
    fn price(&self, id: u32) -> impl Future<Output = u32> + Send;
}

impl Prices for Shop {
    #[cached(ttl = 300, key = "{self.0}:{id}")]
    async fn price(&self, id: u32) -> u32 {
        self.0 + id
    }
}

impl Shop {
    /// By reference.
    #[cached(ttl = 300, key = "{self.0}:{host}")]
    pub async fn serve(&self, host: String) -> Result<u32, String> {
        if host.is_empty() {
            return Err(host);
        }
        Ok(self.0)
    }

    /// By value.
    #[cached(ttl = 300, key = "{self.0}")]
    pub async fn taken(mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    /// Without a receiver.
    #[cached(ttl = 300)]
    pub async fn open(id: u32) -> u32 {
        Self(id).0
    }

    #[cached(ttl = 300, key = "{self.0}:{used}:{unused}")]
    #[expect(unused_variables, reason = "still reported")]
    async fn unused(&self, used: u8, unused: u8) -> u8 {
        used
    }

    #[cached(ttl = 300, skip(self))]
    #[expect(dead_code, clippy::unused_self, reason = "still reported")]
    async fn never_called(&self, x: u8) -> u8 {
        x
    }
}

#[tokio::test]
async fn answers() {
    assert_eq!((serve(1).await, serve(0).await), (Ok(1), Err("none".to_owned())));
    assert!(tokio::spawn(boom(1)).await.unwrap_err().is_panic());
    assert_eq!((unused(1, 2).await, unused_here(2, 2).await), (1, 2));
    assert_eq!(parameters("a", (1, 2), 3, 4, true, Some("xy")).await, 9);
    assert_eq!(generic(&[1, 2]).await, "12");
    assert_eq!((must_use(1).await, recursive(5).await), (Some(1), 120));
    let shop = Shop(1);
    assert_eq!((shop.price(1).await, shop.taken().await, Shop::open(3).await), (2, 2, 3));
    assert_eq!(shop.serve("a".to_owned()).await, Ok(1));
    assert_eq!(shop.unused(1, 2).await, 1);
    assert_eq!(Parcel(5).weigh().await, 5);
}
