use herdless::cached;

#[cached(ttl = 300, strategy = "jitter", jitter = 30)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
