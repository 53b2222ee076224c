use herdless::cached;

struct Shop;

impl Shop {
    #[cached(ttl = 300, skip(self))]
    async fn find(&self, id: u32) -> Missing {
        panic!("{id}")
    }
}

fn main() {}
