use herdless::cached;

#[cached(ttl)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
