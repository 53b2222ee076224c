use herdless::cached;

#[cached(ttl = 300)]
extern "C" fn find(id: u32) -> u32 {
    id
}

fn main() {}
