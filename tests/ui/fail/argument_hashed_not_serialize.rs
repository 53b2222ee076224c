use herdless::cached;

struct Token(u32);

#[cached(ttl = 300, hash(token))]
async fn find(token: Token) -> u32 {
    token.0
}

fn main() {}
