use herdless::cached;

#[cached(ttl = 300)]
async fn serve(id: u32) -> ! {
    loop {
        println!("{id}");
    }
}

pub async fn run() -> u32 {
    serve(1).invalidate().await.unwrap();
    serve(1).await
}

fn main() {}
