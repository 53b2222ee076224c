#![deny(dead_code)]

use herdless::cached;

struct Bank;

impl Bank {
    #[cached(ttl = 300, skip(self))]
    async fn never_called(&self, day: u32) -> u32 {
        day
    }
}

fn main() {
    let _ = Bank;
}
