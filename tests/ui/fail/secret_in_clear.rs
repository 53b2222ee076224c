use herdless::cached;

#[cached(ttl = 300)]
async fn find(token: &str) -> usize {
    token.len()
}

fn main() {}
