use herdless::cached;

#[cached(ttl = 300, detach = true)]
async fn find(id: u32) -> u32 {
    let held = std::rc::Rc::new(id);
    std::future::ready(()).await;
    *held
}

fn main() {}
