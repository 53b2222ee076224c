use herdless::cached;

#[cached()]
async fn find(id: u32) -> u32 {
    id
}

fn main() {}
