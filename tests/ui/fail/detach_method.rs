use herdless::cached;

struct Bank;

impl Bank {
    #[cached(ttl = 300, detach = true, skip(self))]
    async fn quote(&self, day: u32) -> u32 {
        day
    }
}

fn main() {}
