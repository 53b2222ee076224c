use herdless::cached;

#[cached(ttl = 300, ttl_from = seconds())]
async fn find(id: u32) -> u32 {
    id
}

fn seconds() -> u64 {
    30
}

fn main() {}
