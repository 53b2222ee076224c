use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: u32, #[cfg(unix)] _uid: u32) -> u32 {
    id
}

fn main() {}
