use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: u32) -> ! {
    panic!("{id}")
}

fn main() {}
