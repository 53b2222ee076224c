use herdless::cached;

#[cached(ttl = 300)]
async fn find<'a>(name: &'a str, id: u32) -> Option<&'a str> {
    (id > 0).then_some(name)
}

pub async fn run(id: u32) {
    let name = id.to_string();
    find(&name, id).invalidate().await.unwrap();
    println!("{:?}", find(&name, id).peek().await.unwrap());
    println!("{:?}", find(&name, id).with_outcome().await.0);
    println!("{:?}", find(&name, id).await);
}

fn main() {}
