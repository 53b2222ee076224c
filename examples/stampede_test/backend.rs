//! What everybody runs to: a slow backend with counters, kept in Redis beside the cache's keys.
//!
//! One hash per round. It also holds the barrier and the common start time.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands as _, FromRedisValue, RedisResult};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

/// Longest time a load is held back for callers that do not come.
const GATE: Duration = Duration::from_secs(10);
/// Between two looks at a counter. Each process has one watcher, so this is gentle.
const LOOK: Duration = Duration::from_millis(3);
/// Counters of a run that was interrupted on somebody else's server leave by themselves.
const KEPT: i64 = 3600;

/// Counts a load in, with the most that ran at once. Returns the load's number.
const LOAD_BEGINS: &str = "
    local running = redis.call('HINCRBY', KEYS[1], 'running', 1)
    if running > tonumber(redis.call('HGET', KEYS[1], 'overlap') or 0) then
        redis.call('HSET', KEYS[1], 'overlap', running)
    end
    return redis.call('HINCRBY', KEYS[1], 'loads', 1)";

/// The counters of one run.
#[derive(Clone)]
pub(crate) struct Backend {
    redis: MultiplexedConnection,
    run: Arc<str>,
    /// The last round whose gate is open in this process.
    open: watch::Sender<u32>,
}

/// What one round came to at the backend.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counted {
    pub(crate) loads: u64,
    pub(crate) overlap: u64,
    pub(crate) gate_timeouts: u64,
}

impl Backend {
    pub(crate) async fn connect(url: &str, run: &str) -> RedisResult<Self> {
        let redis = redis::Client::open(url)?.get_multiplexed_async_connection().await?;
        Ok(Self { redis, run: run.into(), open: watch::Sender::new(0) })
    }

    /// One slow load: counted in, held at the gate, worked, counted out.
    pub(crate) async fn load(&self, round: u32, work: Duration) -> RedisResult<u64> {
        let (mut redis, key) = (self.redis.clone(), self.key(round));
        let mut begins = redis::cmd("EVAL");
        begins.arg(LOAD_BEGINS).arg(1).arg(&key);
        let number = begins.query_async(&mut redis).await?;
        let mut open = self.open.subscribe();
        if timeout(GATE, open.wait_for(|&open| open >= round)).await.is_err() {
            self.add(round, "gate_timeouts", 1).await?;
        }
        sleep(work).await;
        self.add(round, "running", -1).await?;
        Ok(number)
    }

    /// Opens this process's gate once `counter` has reached the crowd.
    pub(crate) async fn open_gate(&self, round: u32, counter: &str, crowd: u64) -> RedisResult<()> {
        self.reached(round, counter, crowd).await?;
        self.open.send_replace(round);
        Ok(())
    }

    pub(crate) async fn add(&self, round: u32, counter: &str, amount: i64) -> RedisResult<()> {
        self.redis.clone().hincr(self.key(round), counter, amount).await
    }

    pub(crate) async fn reached(&self, round: u32, counter: &str, goal: u64) -> RedisResult<()> {
        while self.get(round, counter).await?.unwrap_or(0_u64) < goal {
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// A worker's side of the barrier: says it is here, and learns when everybody starts.
    pub(crate) async fn arrive(&self, round: u32) -> RedisResult<Instant> {
        self.add(round, "arrived", 1).await?;
        loop {
            if let Some(micros) = self.get(round, "start").await? {
                let ahead = Duration::from_micros(micros).saturating_sub(wall_clock());
                return Ok(Instant::now() + ahead);
            }
            sleep(LOOK).await;
        }
    }

    /// The parent's side: once all workers are here, sets the start a little ahead of now.
    pub(crate) async fn release(&self, round: u32, workers: u32) -> RedisResult<()> {
        let (mut redis, key) = (self.redis.clone(), self.key(round));
        self.reached(round, "arrived", workers.into()).await?;
        let start = wall_clock() + Duration::from_millis(100);
        let start = u64::try_from(start.as_micros()).unwrap_or(u64::MAX);
        redis::pipe().hset(&key, "start", start).expire(&key, KEPT).exec_async(&mut redis).await
    }

    pub(crate) async fn counted(&self, round: u32) -> RedisResult<Counted> {
        let names = ["loads", "overlap", "gate_timeouts"];
        let counted: [Option<u64>; 3] = self.redis.clone().hmget(self.key(round), &names).await?;
        let [loads, overlap, gate_timeouts] = counted.map(Option::unwrap_or_default);
        Ok(Counted { loads, overlap, gate_timeouts })
    }

    pub(crate) async fn get<T>(&self, round: u32, counter: &str) -> RedisResult<Option<T>>
    where
        T: FromRedisValue,
    {
        self.redis.clone().hget(self.key(round), counter).await
    }

    /// The naive control's read. It begins in the same transaction, so the gate cannot open
    /// between the two.
    pub(crate) async fn begin_and_read(&self, round: u32) -> RedisResult<Option<u64>> {
        let mut redis = self.redis.clone();
        let mut both = redis::pipe();
        both.atomic().hincr(self.key(round), "begun", 1).ignore().get(self.value_key(round));
        let (value,) = both.query_async(&mut redis).await?;
        Ok(value)
    }

    /// The naive control's write.
    pub(crate) async fn write(&self, round: u32, value: u64, ttl: Duration) -> RedisResult<()> {
        self.redis.clone().set_ex(self.value_key(round), value, ttl.as_secs().max(1)).await
    }

    fn key(&self, round: u32) -> String {
        format!("stampede-test:{}:{round}", self.run)
    }

    fn value_key(&self, round: u32) -> String {
        format!("stampede-test:{}:{round}:value", self.run)
    }
}

/// Common to all processes: they share the machine.
fn wall_clock() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("this is after 1970")
}
