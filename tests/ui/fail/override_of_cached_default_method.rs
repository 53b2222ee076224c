use herdless::cached;

trait Rates {
    #[cached(ttl = 300, skip(self))]
    async fn rate(&self, day: u32) -> u32 {
        day
    }
}

struct Fixed;

impl Rates for Fixed {
    async fn rate(&self, _day: u32) -> u32 {
        42
    }
}

fn main() {}
