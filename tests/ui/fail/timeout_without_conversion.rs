use herdless::cached;

#[cached(ttl = 300, timeout = 5)]
async fn find(id: u32) -> Result<u32, String> {
    Ok(id)
}

fn main() {}
