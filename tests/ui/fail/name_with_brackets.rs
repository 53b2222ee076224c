#[herdless::cached(ttl = 60, name = "price:v1(1)", key = "{id}")]
async fn price(id: u32) -> u32 {
    id
}

fn main() {
    let _ = price(2);
}
