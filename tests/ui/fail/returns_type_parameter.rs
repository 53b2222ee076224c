use herdless::cached;

#[cached(ttl = 300)]
async fn find<T: serde::Serialize>(id: T) -> T {
    id
}

fn main() {}
