use herdless::cached;

trait Rates {
    #[cached(ttl = 300)]
    async fn quote(&self, day: u32) -> u64;
}

fn main() {}
