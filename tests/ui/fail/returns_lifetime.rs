use herdless::cached;

#[cached(ttl = 300)]
async fn find(name: &str) -> std::borrow::Cow<'_, str> {
    name.into()
}

fn main() {}
