use herdless::cached;

#[cached(ttl = 300, plain(token))]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
