use herdless::cached;

#[cached(ttl = 300)]
async fn find<T: Into<u32>>(id: T) -> u32 {
    id.into()
}

fn main() {}
