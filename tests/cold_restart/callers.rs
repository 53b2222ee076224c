//! The callers: an open loop. Each asks for one key, waits as long as it likes, and goes away.

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::{Instant, sleep_until, timeout};

use crate::gauge::{Fared, Gauge};
use crate::setting::SETTING;
use crate::source::Source;

/// Draws keys by their popularity.
struct Zipf(Vec<f64>);

impl Zipf {
    fn new() -> Self {
        let mut sum = 0.0;
        let upto = |share| {
            sum += share;
            sum
        };
        Self(SETTING.shares().map(upto).collect())
    }

    fn key(&self, rng: &mut StdRng) -> u32 {
        let drawn: f64 = rng.random();
        let rank = self.0.partition_point(|&upto| upto <= drawn);
        u32::try_from(rank).expect("a few thousand").min(SETTING.keys - 1)
    }
}

/// A stream of callers, the same in every run.
pub(crate) struct Callers {
    rng: StdRng,
    zipf: Zipf,
    source: Arc<dyn Source>,
    gauge: Arc<Gauge>,
}

impl Callers {
    pub(crate) fn new(source: Arc<dyn Source>, gauge: Arc<Gauge>) -> Self {
        Self { rng: StdRng::seed_from_u64(2000), zipf: Zipf::new(), source, gauge }
    }

    /// A number in 0..1.
    pub(crate) fn draw(&mut self) -> f64 {
        self.rng.random()
    }

    /// Lets callers come for `span`, at random moments, `surge` a second of whom ask for strange
    /// keys. These are not counted: they would be misses at the best of times.
    pub(crate) async fn come(&mut self, span: Duration, surge: f64) {
        let rate = SETTING.rate + surge;
        let end = Instant::now() + span;
        let mut next = Instant::now();
        loop {
            let gap = -(1.0 - self.draw()).ln() / rate;
            next += Duration::from_secs_f64(gap);
            if next >= end {
                return sleep_until(end).await;
            }
            sleep_until(next).await;
            if self.draw() * rate < surge {
                let key = SETTING.keys + self.rng.random_range(0..SETTING.strangers);
                self.stranger(key);
            } else {
                let key = self.zipf.key(&mut self.rng);
                self.caller(key);
            }
        }
    }

    fn stranger(&self, key: u32) {
        tokio::spawn(timeout(SETTING.patience, self.source.ask(key)));
    }

    fn caller(&self, key: u32) {
        let call = timeout(SETTING.patience, self.source.ask(key));
        let (gauge, came) = (Arc::clone(&self.gauge), self.gauge.now());
        tokio::spawn(async move {
            let fared = call.await.unwrap_or(Fared::Gone);
            gauge.done(came, fared);
        });
    }
}
