use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: u32) -> Result<u32, String> {
    id
}

fn main() {}
