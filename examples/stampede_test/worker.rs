//! One process of the fleet: in each round, all its callers at once.

use std::io::Read as _;
use std::process::ExitCode;
use std::time::Duration;

use herdless::{Cache, Kind, RedisStore};
use redis::RedisResult;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::backend::Backend;
use crate::loaders::{self, Answered};
use crate::options::{Options, Scenario, Strategy};
use crate::report::Answers;

type Failure = Box<dyn std::error::Error>;

/// Ends only by a failure or with the parent: an early end would look like a death.
pub(crate) async fn work(options: Options, redis: &str, run: &str) -> ExitCode {
    end_with_the_parent();
    if let Err(failure) = rounds(options, redis, run).await {
        eprintln!("stampede_test: a worker failed: {failure}");
        return ExitCode::FAILURE;
    }
    std::future::pending().await
}

async fn rounds(options: Options, redis: &str, run: &str) -> Result<(), Failure> {
    let backend = Backend::connect(redis, run).await?;
    let cache = install(redis, run).await?;
    loaders::set_up(options.clone(), backend.clone());
    for round in 1..=options.rounds {
        let answers = stampede(&options, &backend, round).await?;
        refreshed(&cache).await;
        println!("{}", serde_json::to_string(&answers)?);
    }
    Ok(())
}

/// The cache that all processes of the fleet share. Its namespace makes the keys of each run new.
pub(crate) async fn install(redis: &str, run: &str) -> Result<Cache, herdless::Error> {
    let store = RedisStore::connect(redis)?;
    store.ready().await?; // what is measured is the crowd, not the connect
    let cache =
        Cache::builder().store(store).namespace(format!("stampede-test-cache-{run}")).build();
    herdless::install(cache.clone())?;
    Ok(cache)
}

async fn stampede(options: &Options, backend: &Backend, round: u32) -> Result<Answers, Failure> {
    let start = backend.arrive(round).await?;
    let gate = tokio::spawn(hold_gate(options.clone(), backend.clone(), round));
    let mut callers = JoinSet::new();
    for _ in 0..options.callers {
        callers.spawn(caller(options.strategy, backend.clone(), round, start));
    }
    let mut answers = Answers::default();
    while let Some(answer) = callers.join_next().await {
        let (answered, took) = answer??;
        answers.add(&answered, took);
    }
    gate.await??;
    Ok(answers)
}

/// A cold load is held until all callers have begun; a refresh until all have returned, which
/// they do only if none of them waits for it.
async fn hold_gate(options: Options, backend: Backend, round: u32) -> RedisResult<()> {
    let counter = if options.scenario == Scenario::Cold { "begun" } else { "returned" };
    backend.open_gate(round, counter, options.crowd()).await
}

async fn caller(
    strategy: Strategy,
    backend: Backend,
    round: u32,
    start: Instant,
) -> RedisResult<(Answered, Duration)> {
    sleep_until(start).await;
    if strategy != Strategy::None {
        backend.add(round, "begun", 1).await?; // the control counts itself in as it reads
    }
    let called = Instant::now();
    let answered = loaders::call(round).await;
    let took = called.elapsed();
    backend.add(round, "returned", 1).await?;
    Ok((answered, took))
}

/// Waits for refreshes that run behind the callers. The parent guards against one that hangs.
async fn refreshed(cache: &Cache) {
    while cache.flights() > 0 {
        sleep(Duration::from_millis(3)).await;
    }
}

/// The pipe from the parent closes however the parent ends, killed too.
fn end_with_the_parent() {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
}

impl Answers {
    fn add(&mut self, answered: &Answered, took: Duration) {
        self.micros.push(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        let Ok((kind, outcome)) = answered else {
            self.errors += 1;
            return;
        };
        self.degraded += u64::from(outcome.is_some_and(|outcome| outcome.degraded));
        match kind {
            Kind::Hit => self.outcomes.hit += 1,
            Kind::Stale => self.outcomes.stale += 1,
            Kind::Joined => self.outcomes.joined += 1,
            Kind::Computed => self.outcomes.computed += 1,
            _ => self.errors += 1, // nothing here fails, and nothing goes past the cache
        }
    }
}
