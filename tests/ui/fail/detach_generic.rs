use herdless::cached;

#[cached(ttl = 300, detach = true)]
async fn find<T: serde::Serialize>(id: T) -> u32 {
    drop(id);
    7
}

fn main() {}
