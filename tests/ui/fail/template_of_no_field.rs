use herdless::cached;

struct User {
    id: u32,
}

#[cached(ttl = 300, key = "{user.nam}")]
async fn find(user: &User) -> u32 {
    user.id
}

fn main() {}
