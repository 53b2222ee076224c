use herdless::cached;

#[cached(ttl = 300, ttl_from = life)]
async fn find(id: u32) -> u32 {
    id
}

fn life(name: &String) -> Option<std::time::Duration> {
    Some(std::time::Duration::from_secs(name.len() as u64))
}

fn main() {}
