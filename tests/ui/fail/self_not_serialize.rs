use herdless::cached;

struct Bank(u32);

impl Bank {
    #[cached(ttl = 300, plain(self))]
    async fn quote(&self) -> u32 {
        self.0
    }
}

fn main() {}
