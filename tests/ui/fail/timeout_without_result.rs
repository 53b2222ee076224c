use herdless::cached;

#[cached(ttl = 300, timeout = 5)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
