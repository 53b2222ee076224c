use herdless::cached;

#[derive(serde::Serialize)]
struct Id(u32);

#[cached(ttl = 300, detach = true)]
async fn find(ids: &[Id], name: &str) -> usize {
    ids.iter().map(|id| id.0 as usize).sum::<usize>() + name.len()
}

fn main() {}
