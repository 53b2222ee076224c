use herdless::cached;

#[cached(ttl = "5min")]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
