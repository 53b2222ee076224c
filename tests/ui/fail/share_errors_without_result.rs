use herdless::cached;

#[cached(ttl = 300, share_errors)]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
