use std::pin::Pin;

use herdless::cached;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[cached(tll = 300)]
fn count(id: &u32) -> Pin<Box<dyn Future<Output = u32> + Send + '_>> {
    Box::pin(async move { *id })
}

pub async fn run() -> u32 {
    let call: Boxed<'_, u32> = count(&1);
    call.await + count(&2).as_mut().await
}

fn main() {}
