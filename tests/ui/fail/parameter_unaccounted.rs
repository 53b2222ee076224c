use herdless::cached;

#[cached(ttl = 300, key = "{id}")]
async fn find(id: u32, name: &str) -> u32 {
    id + name.len() as u32
}

fn main() {}
