use herdless::cached;

#[cached(ttl = 300, strategy = "loch")]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
