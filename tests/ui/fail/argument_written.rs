use herdless::cached;

#[cached(ttl = 300)]
async fn fill(rows: &mut Vec<u8>, id: u8) -> usize {
    rows.push(id);
    rows.len()
}

fn main() {}
