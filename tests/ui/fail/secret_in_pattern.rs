use herdless::cached;

#[cached(ttl = 300)]
async fn find((id, api_key): (u32, u64)) -> u64 {
    u64::from(id) + api_key
}

fn main() {}
