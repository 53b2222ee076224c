use herdless::cached;

struct Bank;

impl Bank {
    #[cached(ttl = 300, skip(self))]
    async fn quote(&self, day: u32) -> Result<u32, String> {
        day
    }
}

fn main() {}
