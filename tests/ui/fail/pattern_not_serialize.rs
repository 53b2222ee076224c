use herdless::cached;

struct User {
    id: u32,
}

#[cached(ttl = 300)]
async fn find(User { id }: User) -> u32 {
    id
}

fn main() {}
