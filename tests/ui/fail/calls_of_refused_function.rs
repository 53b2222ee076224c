use herdless::cached;

#[cached(tll = 300)]
async fn count(id: u32) -> Result<u32, String> {
    Ok(id)
}

pub async fn run() -> Result<u32, String> {
    let n = count(1).await?;
    count(n).invalidate().await.unwrap();
    println!("{}", count(1).key());
    count(1).refresh().await
}

fn main() {}
