use herdless::cached;

#[cached(ttl = 300)]
async fn find(#[cfg_attr(all(), cfg(all()))] id: u32) -> u32 {
    id
}

fn main() {}
