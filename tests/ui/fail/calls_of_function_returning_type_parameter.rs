use herdless::cached;

#[cached(ttl = 300)]
async fn find<T: serde::Serialize>(id: T) -> T {
    id
}

pub async fn run() -> Option<u32> {
    find(1).invalidate().await.unwrap();
    let (found, _) = find(1).with_outcome().await;
    let same: u32 = found;
    find(same).peek().await.unwrap()
}

fn main() {}
