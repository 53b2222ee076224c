//! The store is away for four seconds under load, killed or stopped: what callers see of it. The
//! numbers are printed; they stand in the guide.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use herdless::{Cache, Event, cached, with_cache};

use crate::backend::{Backend, within_span};
use crate::outage::{builder, until_it_is_back};
use crate::proxy::Proxy;
use crate::server::Server;

const KEYS: u32 = 50;
const CALLERS: u32 = 16;
const WORK: Duration = Duration::from_millis(20);
const OUTAGE: Duration = Duration::from_secs(4);
const BUDGET: Duration = Duration::from_millis(250);
/// Two cores are shared with other tests.
const SLACK: Duration = Duration::from_secs(2);

#[cached(ttl = 60, skip(backend))]
async fn slow_row(backend: Arc<Backend>, id: u32) -> u32 {
    backend.load().await;
    tokio::time::sleep(WORK).await;
    id * 2
}

#[derive(Default)]
struct Seen {
    calls: u32,
    degraded: u32,
    longest: Duration,
}

/// Calls one key after the other until told to stop.
async fn caller(cache: Cache, backend: Arc<Backend>, first: u32, stop: Arc<AtomicBool>) -> Seen {
    let mut seen = Seen::default();
    for id in (0..KEYS).cycle().skip(first as usize) {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let asked = Instant::now();
        let call = slow_row(Arc::clone(&backend), id).with_outcome();
        let (value, how) = with_cache(cache.clone(), call).await;
        assert_eq!(value, id * 2);
        seen.calls += 1;
        seen.degraded += u32::from(how.degraded);
        seen.longest = seen.longest.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    seen
}

async fn outage(name: &str, away: impl Fn(&mut Server), back: impl Fn(&mut Server)) {
    let mut server = Server::start();
    let proxy = Proxy::before(server.port());
    let cache = builder(proxy.url()).build();
    let backend = Backend::open();
    for id in 0..KEYS {
        with_cache(cache.clone(), slow_row(Arc::clone(&backend), id)).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..CALLERS)
        .map(|n| {
            let (cache, backend, stop) = (cache.clone(), Arc::clone(&backend), Arc::clone(&stop));
            tokio::spawn(caller(cache, backend, n * KEYS / CALLERS, stop))
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let loads = backend.loads();

    let gone = Instant::now();
    away(&mut server);
    while !cache.is_degraded() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (opened, asked) = (gone.elapsed(), asked(&proxy));
    tokio::time::sleep(OUTAGE.saturating_sub(gone.elapsed())).await;
    assert!(cache.is_degraded());
    let asked_meanwhile = self::asked(&proxy) - asked;
    let extra = backend.loads() - loads;
    back(&mut server);
    let returned = Instant::now();
    until_it_is_back(&cache).await;
    let recovered = returned.elapsed();

    stop.store(true, Ordering::SeqCst);
    let mut all = Seen::default();
    for caller in callers {
        let seen = within_span(Duration::from_secs(60), caller).await.expect("no caller panics");
        all.calls += seen.calls;
        all.degraded += seen.degraded;
        all.longest = all.longest.max(seen.longest);
    }
    println!(
        "{name} for {OUTAGE:?}: {} calls, {} degraded, 0 errors, longest {:?}; breaker open after \
         {opened:?}; {extra} loads of {KEYS} keys; {asked_meanwhile} questions of callers while it was \
         open; back {recovered:?} after the store",
        all.calls, all.degraded, all.longest
    );
    assert!(all.degraded > 0 && all.longest < BUDGET + WORK + SLACK, "{:?}", all.longest);
    assert!(extra <= KEYS, "each key once: {extra}");
    assert_eq!(asked_meanwhile, 0);
    assert_eq!(cache.count(Event::BreakerOpened), 1);
    let (_, how) = with_cache(cache.clone(), slow_row(backend, 0).with_outcome()).await;
    assert!(!how.degraded);
}

/// What callers have asked, the background task's probes apart.
fn asked(proxy: &Proxy) -> usize {
    let probes = proxy.heard("\r\n0000000000000000\r\n");
    ["EVAL", "HGET", "SUBSCRIBE"].into_iter().map(|verb| proxy.heard(verb)).sum::<usize>() - probes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed() {
    outage("killed", Server::kill, Server::restart).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped() {
    outage("stopped", |server| server.pause(), |server| server.resume()).await;
}
