use herdless::cached;

struct Row(u32);

#[cached(ttl = 300, scope = "process")]
async fn find(id: u32) -> Row {
    Row(id)
}

fn main() {}
