use herdless::cached;

#[cached(ttl = 300)]
async fn find(name: &str) -> usize {
    let n: usize = "x";
    name.len() + n
}

fn main() {}
