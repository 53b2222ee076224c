use herdless::cached;

const TTL: u64 = 300;

#[cached(ttl = TTL)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
