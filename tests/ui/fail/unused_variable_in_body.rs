#![deny(unused_variables)]

use herdless::cached;

#[cached(ttl = 300, skip(self_id))]
pub async fn find(id: u32, self_id: u32) -> u32 {
    id
}

fn main() {}
