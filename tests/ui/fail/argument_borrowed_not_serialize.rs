use herdless::cached;

struct Id(u32);

#[cached(ttl = 300)]
async fn find(id: &Id) -> u32 {
    id.0
}

fn main() {}
