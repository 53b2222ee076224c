//! Loads that do not end in time.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Cache, Event, Kind, LoadFailed, Policy, Reason, cached, with_cache};

use crate::backend::{Backend, World, cut_off, eventually, settle, within};

/// An error that is not `Clone` and answers for loads that did not end in time.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// The loader's own, with the number of its load.
    Own(u32),
    /// There was none.
    Late(Reason),
}

impl From<LoadFailed> for Failure {
    fn from(failed: LoadFailed) -> Self {
        Self::Late(failed.reason())
    }
}

const LATE: Result<u32, Failure> = Err(Failure::Late(Reason::TimedOut));

/// Its time is many leases long, and enough for a crowd to gather.
#[cached(ttl = 60, timeout = 1, lease = "100ms", concurrency = 1, skip(backend))]
async fn patient(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Ok(backend.load().await)
}

#[cached(ttl = 60, timeout = "50ms", skip(backend))]
async fn brief(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Ok(backend.load().await)
}

#[cached(ttl = 60, timeout = "50ms", detach = false, skip(backend))]
async fn inline(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Ok(backend.load().await)
}

fn past(age: u64) -> Past {
    Past { age: Duration::from_secs(age), fresh_for: Duration::from_secs(60), cost: None }
}

#[tokio::test]
async fn a_load_that_never_ends_is_dropped_and_everybody_is_told() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(6, || patient(Arc::clone(&backend), 1).with_outcome());
        let answers = within(crowd.join_all()).await;
        let led = answers.iter().filter(|(_, how)| how.kind == Kind::Computed).count();
        assert_eq!((answers.len(), led), (6, 1), "{}", world.name);
        assert!(answers.iter().all(|(answer, _)| *answer == LATE), "{}", world.name);
        assert_eq!((backend.loads(), backend.running()), (1, 0), "{}: one run", world.name);
        let counts = [Event::LoadTimedOut, Event::LoadFailed, Event::Replaced];
        assert_eq!(counts.map(|event| world.cache.count(event)), [1, 1, 0], "{}", world.name);
        world.is_idle().await;

        backend.open_gate();
        assert_eq!(world.run(patient(backend, 1)).await, Ok(2), "{}: at once", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn wherever_a_loader_runs_its_time_is_limited() {
    for world in World::all() {
        let backend = Backend::closed();
        assert_eq!(world.run(inline(Arc::clone(&backend), 1)).await, LATE, "{}", world.name);
        assert_eq!(world.run(brief(Arc::clone(&backend), 1).refresh()).await, LATE);
        assert_eq!(world.run(brief(Arc::clone(&backend), 1).bypass()).await, LATE);
        assert_eq!(world.cache.count(Event::LoadTimedOut), 3, "{}", world.name);
        assert_eq!(world.cache.count(Event::LoadFailed), 2, "{}", world.name);
        world.is_idle().await;
    }
    for cache in [cut_off(), Cache::disabled()] {
        let backend = Backend::closed();
        assert_eq!(with_cache(cache.clone(), within(brief(backend, 1))).await, LATE);
        assert_eq!(cache.count(Event::LoadTimedOut), 1);
    }
}

#[cached(ttl = 60, timeout = "50ms", stale_if_error = 600, reason = "a test", skip(backend))]
async fn lenient(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Ok(backend.load().await)
}

#[tokio::test]
async fn the_last_value_stands_in_for_a_load_that_does_not_end_in_time() {
    for world in World::all() {
        let backend = Backend::closed();
        let call = || lenient(Arc::clone(&backend), 1);
        world.run(plant(&call(), Ok(7), past(90))).await.unwrap();
        for (answer, how) in within(world.crowd(6, || call().with_outcome()).join_all()).await {
            assert_eq!((answer, how.kind), (Ok(7), Kind::StaleOnError), "{}", world.name);
        }
        world.run(plant(&call(), Ok(7), past(700))).await.unwrap();
        assert_eq!(world.run(call()).await, LATE, "{}: too old", world.name);
        world.is_idle().await;
    }
}

#[cached(
    ttl = 60,
    timeout = "50ms",
    strategy = "swr",
    grace = 600,
    reason = "a test",
    skip(backend)
)]
async fn swr(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Ok(backend.load().await)
}

#[tokio::test]
async fn a_background_refresh_that_does_not_end_in_time_has_failed() {
    for world in World::all() {
        let backend = Backend::closed();
        let call = || swr(Arc::clone(&backend), 1);
        world.run(plant(&call(), Ok(7), past(90))).await.unwrap();
        assert_eq!(world.run(call()).await, Ok(7), "{}", world.name);
        let failed = || world.cache.count(Event::LoadFailed) == 1 && backend.running() == 0;
        eventually("the refresh is given up", failed).await;
        world.is_idle().await;
        assert_eq!(world.run(call()).await, Ok(7), "{}", world.name);
        settle().await;
        world.is_idle().await;
        assert_eq!(backend.loads(), 1, "{}: not at every call", world.name);
        assert_eq!(world.cache.count(Event::LoadTimedOut), 1, "{}", world.name);
    }
}

#[tokio::test]
async fn a_load_whose_caller_left_keeps_its_limit() {
    for world in World::all() {
        let backend = Backend::closed();
        let caller = world.spawn(brief(Arc::clone(&backend), 2));
        backend.started(1).await;
        caller.abort();
        eventually("the load is given up", || world.cache.count(Event::LoadTimedOut) == 1).await;
        assert_eq!(backend.running(), 0, "{}", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, timeout = "50ms", skip(backend))]
async fn any_error(backend: Arc<Backend>, id: u32) -> anyhow::Result<u32> {
    let _ = id;
    Ok(backend.load().await)
}

#[tokio::test]
async fn an_error_of_any_type_says_what_happened() {
    let world = World::embedded();
    let error = world.run(any_error(Backend::closed(), 1)).await.unwrap_err();
    assert_eq!(error.to_string(), "loading `any_error` timed out after 0.05 s");
    assert!(error.downcast_ref::<LoadFailed>().is_some_and(LoadFailed::is_timeout));
}

#[cached(ttl = 60, timeout = 1, lease = "100ms", concurrency = 1, skip(backend))]
async fn own(backend: Arc<Backend>, id: u32) -> Result<u32, Failure> {
    let _ = id;
    Err(Failure::Own(backend.load().await))
}

#[tokio::test]
async fn an_error_of_the_loaders_own_stays_as_it_is() {
    for world in World::all() {
        let backend = Backend::open();
        let answers = within(world.crowd(3, || own(Arc::clone(&backend), 1)).join_all()).await;
        let owned = |answer: &Result<u32, Failure>| matches!(answer, Err(Failure::Own(_)));
        assert!(answers.iter().all(owned), "{}: {answers:?}", world.name);
        assert_eq!(backend.loads(), 3, "{}: to each its own", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn who_has_no_error_for_it_has_no_limit() {
    let world = World::embedded();
    let backend = Backend::closed();
    let key = herdless::Key::for_function("behaviour::unlimited").arg(&1).finish();
    let load = async || Ok::<_, ()>(backend.load().await);
    let unlimited = Policy::ttl(Duration::from_secs(60)).timeout(Duration::from_nanos(1));
    let call = world.cache.get_or_load(&key, &unlimited, load);
    let (answer, ()) = tokio::join!(within(call), async {
        backend.started(1).await;
        tokio::time::sleep(Duration::from_millis(20)).await; // what must not matter
        backend.open_gate();
    });
    assert_eq!(answer, Ok(1));
}
