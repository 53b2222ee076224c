use herdless::cached;

#[cached(ttl = 300, wait = 0)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
