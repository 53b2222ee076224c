use herdless::cached;

#[cached(ttl = 300, detach = true)]
async fn find(ids: &[u32], more: Vec<Uid>) -> Vec<u32> {
    more.iter().map(|id| id.0).chain(ids.iter().copied()).collect()
}

fn main() {}
