use herdless::cached;

#[cached(ttl = 300, none = "5s")]
async fn find(id: u32) -> Result<u32, String> {
    Ok(id)
}

fn main() {}
