use herdless::cached;

#[cached(ttl = 300, detach = true)]
async fn find(name: Option<&str>) -> usize {
    name.map_or(0, str::len)
}

fn main() {}
