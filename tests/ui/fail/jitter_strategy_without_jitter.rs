use herdless::cached;

#[cached(ttl = 300, strategy = "jitter", reason = "each one is cheap")]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
