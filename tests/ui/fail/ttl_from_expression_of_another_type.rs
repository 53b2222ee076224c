use herdless::cached;

#[cached(ttl = 300, ttl_from = life())]
async fn find(id: u32) -> u32 {
    id
}

fn life() -> fn(&u32) -> u64 {
    |id| (*id).into()
}

fn main() {}
