use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: u32) -> Result<Missing, String> {
    Err(id.to_string())
}

fn main() {}
