use herdless::cached;

#[derive(serde::Serialize)]
struct User {
    id: u32,
    password: String,
}

#[cached(ttl = 300, key = "{user.id}{user.password}")]
async fn find(user: &User) -> u32 {
    user.id
}

fn main() {}
