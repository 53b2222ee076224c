use herdless::cached;

struct Bank;

impl Bank {
    #[cached(ttl = 300)]
    async fn quote(&self, day: u32) -> u32 {
        day
    }
}

fn main() {}
