use herdless::cached;

struct Id(u32);

struct User {
    id: Id,
}

#[cached(ttl = 300, key = "{user.id}")]
async fn find(user: &User) -> u32 {
    user.id.0
}

fn main() {}
