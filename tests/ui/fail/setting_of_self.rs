use herdless::cached;

struct Bank;

impl Bank {
    #[cached(ttl = self.ttl, skip(self))]
    async fn quote(&self, day: u32) -> u32 {
        day
    }
}

fn main() {}
