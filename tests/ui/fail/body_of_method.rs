use herdless::cached;

struct Bank;

impl Bank {
    #[cached(ttl = 300, skip(self))]
    async fn quote(&self, day: u32) -> u32 {
        let n: u32 = "x";
        day + n
    }
}

fn main() {}
