use herdless::cached;

#[cached(ttl = 300, skip(id), hash(id))]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
