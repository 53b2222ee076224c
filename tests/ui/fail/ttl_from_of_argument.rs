use herdless::cached;

#[cached(ttl = 300, ttl_from = id.life)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
