use herdless::cached;

pub trait Named {
    fn title(&self) -> impl Future<Output = Option<&str>>;
}

pub struct Shop(String);

impl Named for Shop {
    #[cached(ttl = 300, skip(self))]
    async fn title(&self) -> Option<&str> {
        Some(&self.0)
    }
}

pub async fn run(shop: Shop) {
    shop.title().invalidate().await.unwrap();
    println!("{:?}", shop.title().await);
}

fn main() {}
