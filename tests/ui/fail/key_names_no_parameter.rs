use herdless::cached;

#[cached(ttl = 300, key = "{id}{nam}")]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
