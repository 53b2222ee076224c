use std::time::Duration;

use cache_core::Timestamp;
use cache_core::store::Store as _;

use crate::support::{begin, lab};

#[tokio::test]
async fn the_store_tells_the_servers_time() {
    let mut lab = lab().await;
    lab.store.ready().await.unwrap();
    let before = lab.store.now();
    let (seconds, micros): (u64, u64) = lab.raw("TIME").await;
    let after = lab.store.now();
    let server = Timestamp::from_micros(seconds * 1_000_000 + micros);
    let tolerance = Duration::from_millis(50);
    assert!(before <= server.after(tolerance) && server <= after.after(tolerance));
    let begun = lab.begin(begin()).await.time;
    assert!(begun >= server && begun <= lab.store.now().after(tolerance));
}
