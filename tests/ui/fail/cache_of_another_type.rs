use herdless::cached;

#[cached(ttl = 300, cache = "shop".to_owned())]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
