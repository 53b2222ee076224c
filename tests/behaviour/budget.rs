//! One budget for all that a call asks of the store, on virtual time: before its load and after it.

use std::time::Duration;

use herdless::store::{
    Begin, Begun, Committed, Cursor, Generation, Load, Mark, Next, Replacement, Reply, Scan,
    Scanned, Shape, Store, Subscription,
};
use herdless::{Cache, Event, Kind, Timestamp, cached, with_cache};
use tokio::time::{Instant, sleep};

const BUDGET: Duration = Duration::from_millis(250);
const WORK: Duration = Duration::from_millis(450);

/// A store that answers everything, each time after so long: that it knows of no value.
#[derive(Debug)]
struct Slow(Duration);

impl Slow {
    fn answer<'a, T: Send + 'a>(&self, answer: T) -> Reply<'a, T> {
        let pause = self.0;
        Box::pin(async move {
            sleep(pause).await;
            Ok(answer)
        })
    }
}

impl Store for Slow {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1)
    }
    fn latest(&self) -> Timestamp {
        Timestamp::from_micros(1)
    }
    fn read<'a>(&'a self, _: &'a str, _: Shape) -> Reply<'a, Option<Vec<u8>>> {
        self.answer(None)
    }
    fn read_all<'a>(&'a self, _: &'a str) -> Reply<'a, Vec<(Vec<u8>, Vec<u8>)>> {
        self.answer(Vec::new())
    }
    fn begin<'a>(&'a self, _: &'a str, _: Begin) -> Reply<'a, Begun> {
        let next = Next::Lead { leased: true, running: 1 };
        self.answer(Begun { time: self.now(), generation: Generation::NONE, next })
    }
    fn renew<'a>(&'a self, _: &'a str, _: Load, _: Duration) -> Reply<'a, bool> {
        self.answer(true)
    }
    fn commit<'a>(&'a self, _: &'a str, _: Load, _: Shape, _: &'a [u8]) -> Reply<'a, Committed> {
        self.answer(Committed::Stored)
    }
    fn abandon<'a>(&'a self, _: &'a str, _: Load, _: Mark) -> Reply<'a, bool> {
        self.answer(true)
    }
    fn invalidate<'a>(&'a self, _: &'a str) -> Reply<'a, ()> {
        self.answer(())
    }
    fn prime<'a>(&'a self, _: &'a str, _: Shape, _: &'a [u8]) -> Reply<'a, ()> {
        self.answer(())
    }
    fn replace<'a>(&'a self, _: &'a str, _: &'a [Replacement]) -> Reply<'a, bool> {
        self.answer(true)
    }
    fn scan<'a>(&'a self) -> Reply<'a, Scan> {
        self.answer(Scan { primaries: Vec::new(), layout: 0 })
    }
    fn scan_on<'a>(&'a self, _: &'a str, _: &'a Cursor) -> Reply<'a, Scanned> {
        self.answer(Scanned { names: Vec::new(), next: None })
    }
    fn subscribe<'a>(&'a self, _: &'a str) -> Reply<'a, Subscription> {
        let (_, changes) = tokio::sync::watch::channel(0);
        self.answer(Subscription::new(changes, ()))
    }
}

#[cached(ttl = 60)]
async fn slow_row(id: u32) -> u32 {
    sleep(WORK).await;
    id
}

/// How long a call takes on a store whose every answer takes so long, and what is stored of it.
async fn call(each_answer: Duration) -> (Duration, u64) {
    let cache = Cache::builder().store(Slow(each_answer)).io_budget(BUDGET).build();
    let begun = Instant::now();
    let (value, how) = with_cache(cache.clone(), slow_row(7).with_outcome()).await;
    assert_eq!((value, how.kind), (7, Kind::Computed));
    (begun.elapsed(), cache.count(Event::PutAside))
}

#[tokio::test(start_paused = true)]
async fn what_comes_before_the_load_and_after_it_is_one_budget() {
    let quick = Duration::from_millis(80);
    assert_eq!(call(quick).await, (3 * quick + WORK, 0), "a look, a begin, a commit");
    let (took, put_aside) = call(Duration::from_millis(100)).await;
    assert_eq!((took, put_aside), (BUDGET + WORK, 1), "the commit had what was left");
    let (took, _) = call(Duration::from_millis(200)).await;
    assert_eq!(took, BUDGET + WORK, "what is left after the look is not enough to begin");
    let (took, _) = call(Duration::from_secs(3600)).await;
    assert_eq!(took, BUDGET + WORK, "a silent store");
}
