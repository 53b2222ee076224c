use herdless::cached;

#[derive(serde::Serialize, serde::Deserialize)]
struct Row(u32);

#[cached(ttl = 300)]
async fn find(id: u32) -> Row {
    Row(id)
}

fn main() {}
