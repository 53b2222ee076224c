use herdless::cached;

#[cached(ttl = 300)]
struct Find;

fn main() {}
