use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: Uid) -> u32 {
    id.0
}

fn main() {}
