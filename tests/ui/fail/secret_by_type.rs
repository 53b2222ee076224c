use herdless::cached;

#[derive(serde::Serialize)]
struct Password(String);

#[cached(ttl = 300)]
async fn may_enter(login: Password) -> bool {
    login.0.is_empty()
}

fn main() {}
