use herdless::cached;

struct Pool;

#[cached(ttl = 300)]
async fn find(_: &Pool, id: u32) -> u32 {
    id
}

fn main() {}
