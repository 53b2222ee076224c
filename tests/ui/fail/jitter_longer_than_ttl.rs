use herdless::cached;

#[cached(ttl = 300, jitter = "6m")]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
