use std::time::Duration;

use herdless::cached;

struct Rates<const TTL: u64>;

impl<const TTL: u64> Rates<TTL> {
    #[cached(ttl = Duration::from_secs(TTL))]
    async fn quote(day: u32) -> u32 {
        day
    }
}

fn main() {}
