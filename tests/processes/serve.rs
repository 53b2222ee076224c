//! A worker's life: reads requests, answers them, ends with the test that started it.

use std::io::{BufRead as _, stdin};
use std::time::Duration;

use herdless::{Cache, Event, RedisStore};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::functions;
use crate::protocol::{
    Answer, Counts, Function, MARK, Place, Reply, Request, Setup, That, What, Work,
};

/// One thread: a loader that blocks it blocks the process.
pub(crate) fn serve(setup: &str) {
    let setup: Setup = serde_json::from_str(setup).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let cache = set_up(setup).await;
        let mut requests = listen();
        while let Some(request) = requests.recv().await {
            match request.what {
                What::Exit => std::process::exit(0),
                What::Panic => panic!("a test asks for it"),
                _ => {}
            }
            tokio::spawn(answer(cache.clone(), request));
        }
    });
}

async fn set_up(setup: Setup) -> Cache {
    let store = match &setup.place {
        Place::Server(url) => RedisStore::connect(url.as_str()),
        Place::Sentinels(name, urls) => {
            RedisStore::builder().sentinel(name, urls.iter().map(|url| url.as_str())).build()
        }
        Place::Cluster(urls) => {
            RedisStore::builder().cluster(urls.iter().map(|url| url.as_str())).build()
        }
    };
    let store = store.unwrap();
    store.ready().await.unwrap();
    let cache = Cache::builder().store(store).namespace("test").build();
    herdless::install(cache.clone()).unwrap();
    let client = redis::Client::open(setup.backend.as_str()).unwrap();
    let redis = client.get_multiplexed_async_connection().await.unwrap();
    functions::set_up(setup, redis);
    cache
}

/// Reads in a thread of its own: a future that reads lines would have to share the blocked one.
fn listen() -> mpsc::UnboundedReceiver<Request> {
    let (say, requests) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in stdin().lock().lines() {
            let request = serde_json::from_str(&line.unwrap()).unwrap();
            say.send(request).unwrap();
        }
        std::process::exit(0) // the test is over, whatever runs here
    });
    requests
}

async fn answer(cache: Cache, request: Request) {
    let that = match request.what {
        What::Call { function, key, work } => {
            That::Answered(functions::call(function, key, work).await)
        }
        What::Calls { function, key, work, every, time } => {
            calls(function, &key, work, every, time).await;
            That::Done
        }
        What::Peek { function, key } => That::Peeked(functions::peek(function, key).await),
        What::Invalidate { function, key } => {
            functions::invalidate(function, key).await;
            That::Done
        }
        What::Count => That::Counted(count(&cache)),
        What::Shutdown { deadline } => {
            let sum = cache.shutdown(deadline).await;
            That::ShutDown(sum.finished, sum.given_up, sum.released)
        }
        What::Exit | What::Panic => unreachable!("the process has ended"),
    };
    let reply = serde_json::to_string(&Reply { id: request.id, that }).unwrap();
    // On a line of its own: the harness leaves its own line open.
    println!("\n{MARK}{reply}");
}

async fn calls(function: Function, key: &str, work: Work, every: Duration, time: Duration) {
    let end = Instant::now() + time;
    let mut due = interval(every);
    due.set_missed_tick_behavior(MissedTickBehavior::Burst); // the rate is what counts
    let mut calls: JoinSet<Answer> = JoinSet::new();
    while due.tick().await < end {
        calls.spawn(functions::call(function, key.to_owned(), work));
    }
    calls.join_all().await.into_iter().for_each(|answer| assert!(answer.load.is_ok()));
}

fn count(cache: &Cache) -> Counts {
    Counts {
        flights: cache.flights(),
        hits: cache.count(Event::Hit),
        older: cache.count(Event::Older),
        superseded: cache.count(Event::Superseded),
        too_large: cache.count(Event::TooLarge),
        store_trouble: cache.count(Event::StoreTrouble),
        degraded: cache.is_degraded(),
    }
}
