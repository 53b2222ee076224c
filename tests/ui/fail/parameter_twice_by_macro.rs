macro_rules! scaled {
    ($factor:ident) => {
        #[herdless::cached(ttl = 60, skip(x))]
        async fn scaled($factor: u32, x: u32) -> u32 {
            $factor * x
        }
    };
}

scaled!(x);

fn main() {
    let _ = scaled(2, 3);
}
