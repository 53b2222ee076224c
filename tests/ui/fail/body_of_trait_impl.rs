use herdless::cached;

trait Rates {
    fn quote(&self, day: u32) -> impl Future<Output = u64> + Send;
}

struct Bank;

impl Rates for Bank {
    #[cached(ttl = 300, skip(self))]
    async fn quote(&self, day: u32) -> u64 {
        let n: u64 = "x";
        u64::from(day) + n
    }
}

fn main() {}
