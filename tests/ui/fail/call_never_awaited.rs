#![deny(unused_must_use)]

use herdless::cached;

#[cached(ttl = 300)]
async fn count(id: u32) -> u32 {
    id
}

fn main() {
    count(1);
}
