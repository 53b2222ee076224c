use herdless::cached;

#[cached(ttl = 300, share_errors)]
async fn find(id: u32) -> Result<u32, String> {
    Ok(id)
}

fn main() {}
