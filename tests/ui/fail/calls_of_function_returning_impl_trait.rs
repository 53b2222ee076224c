use std::fmt::Display;

use herdless::cached;

#[cached(ttl = 300)]
async fn find(id: u32) -> Result<impl Display, String> {
    if id == 0 {
        return Err("nobody".to_owned());
    }
    Ok(id)
}

pub async fn run() {
    find(1).invalidate().await.unwrap();
    println!("{}", find(1).peek().await.unwrap().unwrap());
    println!("{}", find(1).with_outcome().await.0.unwrap());
}

fn main() {}
