//! The backend of a worker's loads: counters and a gate in Redis, beside the cache's keys.
//!
//! Per key one hash. `order` counts beginnings and ends of loads, so that the test can tell which
//! load came after which; `overlap` is the most that ran at once.

use std::time::Duration;

use redis::AsyncCommands as _;
use redis::aio::MultiplexedConnection;
use tokio::time::sleep;

const BEGINS: &str = "
    local running = redis.call('HINCRBY', KEYS[1], 'running', 1)
    if running > tonumber(redis.call('HGET', KEYS[1], 'overlap') or 0) then
        redis.call('HSET', KEYS[1], 'overlap', running)
    end
    return { redis.call('HINCRBY', KEYS[1], 'loads', 1), redis.call('HINCRBY', KEYS[1], 'order', 1) }";

const ENDS: &str = "
    redis.call('HINCRBY', KEYS[1], 'running', -1)
    local ended = redis.call('HINCRBY', KEYS[1], 'order', 1)
    return redis.call('RPUSH', KEYS[2], ARGV[1] .. ' ' .. ended)";

/// Counters of a key.
pub(crate) fn counters(key: &str) -> String {
    format!("backend:{key}")
}

/// Beginning and end of each load that ended.
pub(crate) fn spans(key: &str) -> String {
    format!("backend:{key}:spans")
}

/// Exists once the test has opened it.
pub(crate) fn gate(key: &str) -> String {
    format!("backend:{key}:gate")
}

/// The version each load was about to replace.
pub(crate) fn versions(key: &str) -> String {
    format!("backend:{key}:versions")
}

/// A load that runs.
pub(crate) struct Load {
    pub(crate) number: u64,
    began: u64,
}

pub(crate) async fn begin(redis: &mut MultiplexedConnection, key: &str) -> Load {
    let mut begins = redis::cmd("EVAL");
    begins.arg(BEGINS).arg(1).arg(counters(key));
    let (number, began) = begins.query_async(redis).await.unwrap();
    Load { number, began }
}

pub(crate) async fn end(redis: &mut MultiplexedConnection, key: &str, load: Load) {
    let mut ends = redis::cmd("EVAL");
    ends.arg(ENDS).arg(2).arg(counters(key)).arg(spans(key)).arg(load.began);
    ends.exec_async(redis).await.unwrap();
}

pub(crate) async fn pass_gate(redis: &mut MultiplexedConnection, key: &str) {
    while !redis.exists::<_, bool>(gate(key)).await.unwrap() {
        sleep(Duration::from_millis(3)).await;
    }
}

pub(crate) async fn note_version(
    redis: &mut MultiplexedConnection,
    key: &str,
    version: Option<u64>,
) {
    let version = version.map_or("none".to_owned(), |version| version.to_string());
    redis.rpush::<_, _, ()>(versions(key), version).await.unwrap();
}
