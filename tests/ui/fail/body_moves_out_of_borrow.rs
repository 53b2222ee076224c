use herdless::cached;

struct Bank(String);

impl Bank {
    #[cached(ttl = 300, skip(self))]
    async fn name(&self) -> String {
        self.0
    }
}

fn main() {}
