use herdless::cached;

#[cached(ttl = 300, skip(pool))]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
