use herdless::cached;

#[cached(ttl = 300)]
async fn find(name: &str) -> &str {
    name
}

fn main() {}
