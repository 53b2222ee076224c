#![deny(dead_code)]

use herdless::cached;

#[cached(ttl = 300)]
async fn never_called(id: u32) -> u32 {
    id
}

fn main() {}
