use herdless::cached;

#[cached(ttl = 300, stale_if_error = 60)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
