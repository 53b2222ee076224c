//! A private Redis with workers on it, and what the test can see there.

use std::time::{Duration, Instant};

use redis::Commands as _;

use crate::backend;
use crate::control::Worker;
use crate::protocol::{Place, Setup};
use crate::server::Server;

/// Whatever takes longer hangs.
pub(crate) const GUARD: Duration = Duration::from_secs(60);

pub(crate) struct Stage {
    redis: redis::Connection,
    setup: Setup,
    _server: Server,
}

impl Stage {
    /// With a lease of 300 ms; values live for a minute. The wait is longer than any test, so that
    /// it does not save what the lease should.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let server = Server::start();
        let mut setup = Setup {
            backend: server.url(),
            place: Place::Server(server.url()),
            ttl: Duration::from_secs(60),
            lease: Duration::from_millis(300),
            wait: GUARD * 10,
        };
        change(&mut setup);
        let redis = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
        Self { redis, setup, _server: server }
    }

    pub(crate) fn worker(&self) -> Worker {
        Worker::start(&self.setup)
    }

    pub(crate) fn workers(&self, number: usize) -> Vec<Worker> {
        (0..number).map(|_| self.worker()).collect()
    }

    /// Loads of the key that have begun.
    pub(crate) fn loads(&mut self, key: &str) -> u64 {
        self.counter(key, "loads")
    }

    /// The most loads of the key that ran at once.
    pub(crate) fn overlap(&mut self, key: &str) -> u64 {
        self.counter(key, "overlap")
    }

    /// The longest chain of loads each of which began after the one before had ended.
    pub(crate) fn rounds(&mut self, key: &str) -> usize {
        let spans: Vec<String> = self.redis.lrange(backend::spans(key), 0, -1).unwrap();
        let mut spans: Vec<(u64, u64)> = spans.iter().map(|span| parse(span)).collect();
        spans.sort_unstable();
        let mut rounds: Vec<usize> = Vec::new();
        for &(began, _) in &spans {
            let before = spans.iter().zip(&rounds).filter(|((_, ended), _)| *ended < began);
            rounds.push(1 + before.map(|(_, &rounds)| rounds).max().unwrap_or(0));
        }
        rounds.into_iter().max().unwrap_or(0)
    }

    /// The version of the entry that each load was about to replace.
    pub(crate) fn versions(&mut self, key: &str) -> Vec<String> {
        self.redis.lrange(backend::versions(key), 0, -1).unwrap()
    }

    /// Leases that somebody holds.
    pub(crate) fn leases(&mut self) -> usize {
        self.redis.keys::<_, Vec<String>>("*:lease").unwrap().len()
    }

    /// Lets the key's first load go on.
    pub(crate) fn open_gate(&mut self, key: &str) {
        self.redis.set::<_, _, ()>(backend::gate(key), 1).unwrap();
    }

    /// Waits until that many loads of the key have begun.
    pub(crate) fn until_loads(&mut self, key: &str, loads: u64) {
        eventually("another load begins", || self.loads(key) >= loads);
    }

    fn counter(&mut self, key: &str, name: &str) -> u64 {
        let counter: Option<u64> = self.redis.hget(backend::counters(key), name).unwrap();
        counter.unwrap_or(0)
    }
}

fn parse(span: &str) -> (u64, u64) {
    let (began, ended) = span.split_once(' ').unwrap();
    (began.parse().unwrap(), ended.parse().unwrap())
}

/// Waits until the worker has a flight: its calls have found nothing and are in line.
pub(crate) fn until_in_line(worker: &mut Worker) {
    eventually("the call gets in line", || worker.count().flights > 0);
}

/// Looks again and again until it is so.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let give_up = Instant::now() + GUARD;
    while !is_so() {
        assert!(Instant::now() < give_up, "it never comes that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
