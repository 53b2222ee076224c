//! Attributes and lints: each on its right item, no noise.
#![deny(missing_docs, clippy::pedantic)]
#![allow(clippy::unused_async, clippy::missing_errors_doc, clippy::must_use_candidate)]

use herdless::cached;

use crate::{Loads, loads, twice_and_other};

// M06
/// Counts things.
///
/// By hand.
#[must_use = "the count is the point"]
#[deprecated(note = "use count_v2")]
#[cached(ttl = 300)]
pub async fn count(id: u32) -> u32 {
    id
}

#[cached(ttl = 300)]
/// Counts things.
#[must_use]
#[inline]
#[cfg_attr(all(), doc(alias = "tally"))]
#[cfg(not(any()))]
pub async fn count_v2(id: u32) -> u32 {
    COUNT.add();
    id
}
static COUNT: Loads = Loads::new();

#[tokio::test]
#[expect(deprecated, reason = "the only use of it, here")]
async fn on_the_public_function() {
    assert_eq!(count(1).await, 1);
    twice_and_other!(count_v2(1) => 1, count_v2(2) => 2);
    loads(2, &COUNT);
}

/// Serves.
#[cached(ttl = 300)]
pub async fn serve(port: u16) -> Result<u16, String> {
    if port == 0 {
        return Err("none".to_owned());
    }
    Ok(port)
}

/// A server.
pub struct Server;

impl Server {
    /// Serves.
    #[cached(ttl = 300, skip(self))]
    #[allow(clippy::unused_self)]
    pub async fn serve(&self, port: u16, host: String) -> Result<u16, String> {
        if host.is_empty() {
            return Err(host);
        }
        Ok(port)
    }
}

#[cached(ttl = 300)]
#[expect(unused_variables, reason = "an argument that the body does not use is still reported")]
async fn unused_argument(used: u8, unused: u8) -> u8 {
    used
}

impl Server {
    #[cached(ttl = 300, skip(self))]
    #[expect(unused_variables, unused_mut, clippy::unused_self, reason = "still reported")]
    async fn unused_argument(&self, used: u8, unused: u8, mut still: u8) -> u8 {
        used + still
    }
}

#[cached(ttl = 300)]
#[expect(dead_code, reason = "a function that nobody calls is still reported")]
async fn never_called(x: u8) -> u8 {
    x
}

#[tokio::test]
async fn lints() {
    assert_eq!(serve(1).await, Ok(1));
    assert_eq!(Server.serve(1, "x".to_owned()).await, Ok(1));
    assert_eq!(unused_argument(1, 2).await, 1);
    assert_eq!(Server.unused_argument(1, 2, 3).await, 4);
}
