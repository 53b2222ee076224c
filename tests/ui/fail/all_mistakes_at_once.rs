use herdless::cached;

#[cached(ttl = 0, lease = "50ms")]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
