//! `#[must_use]` speaks of the call: rustc speaks of an awaited output only for an `async fn`.
#![deny(warnings)]

use herdless::cached;

#[must_use]
#[cached(ttl = 300)]
async fn count(id: u32) -> u32 {
    id
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    count(1).await;
}
