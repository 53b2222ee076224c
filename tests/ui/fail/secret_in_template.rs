use herdless::cached;

#[cached(ttl = 300, key = "{token}")]
async fn find(token: &str) -> usize {
    token.len()
}

fn main() {}
