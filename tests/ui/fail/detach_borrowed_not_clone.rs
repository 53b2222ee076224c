use herdless::cached;

#[derive(serde::Serialize)]
struct Id(u32);

#[cached(ttl = 300, detach = true)]
async fn find(id: &Id) -> u32 {
    id.0
}

fn main() {}
