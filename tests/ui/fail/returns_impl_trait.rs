use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: u32) -> impl Clone {
    id
}

fn main() {}
