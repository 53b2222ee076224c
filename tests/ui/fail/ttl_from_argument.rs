use std::time::Duration;

use herdless::cached;

fn lifetime(id: u32) -> Duration {
    Duration::from_secs(id.into())
}

#[cached(ttl = lifetime(id))]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
