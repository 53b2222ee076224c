//! Loads that fail: who gets what, and how often the loader runs.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Event, Kind, cached};

use crate::backend::{Backend, World, eventually, settle, within};

#[derive(Debug, Clone, PartialEq)]
struct Cloned(u32);

/// Neither `Clone` nor anything else.
#[derive(Debug, PartialEq)]
struct Plain(u32);

type Answer<T> = Result<T, Plain>;

#[cached(ttl = 60, skip(backend))]
async fn cloned(backend: Arc<Backend>, id: u32) -> Result<u32, Cloned> {
    let _ = id;
    Err(Cloned(backend.load().await))
}

#[cached(ttl = 60, skip(backend))]
async fn plain(backend: Arc<Backend>, id: u32) -> Answer<u32> {
    match (id, backend.load().await) {
        (0, number) => Err(Plain(number)),
        (fails, number) if number <= fails => Err(Plain(number)),
        (_, number) => Ok(number),
    }
}

#[derive(Debug)]
struct Disk;

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the disk is gone")
    }
}

impl std::error::Error for Disk {}

#[cached(ttl = 60, skip(backend), share_errors)]
async fn shared(backend: Arc<Backend>, id: u32) -> anyhow::Result<u32> {
    let _ = id;
    backend.load().await;
    Err(anyhow::Error::new(Disk).context("reading rows"))
}

#[tokio::test]
async fn an_error_is_never_stored_whatever_its_type_is_called() {
    for world in World::all() {
        let backend = Backend::open();
        assert_eq!(world.run(cloned(Arc::clone(&backend), 1)).await, Err(Cloned(1)));
        assert_eq!(world.run(cloned(Arc::clone(&backend), 1)).await, Err(Cloned(2)));
        assert_eq!(world.run(cloned(Arc::clone(&backend), 1).peek()).await.unwrap(), None);
        let backend = Backend::open();
        assert_eq!(world.run(plain(Arc::clone(&backend), 1)).await, Err(Plain(1)));
        assert_eq!(world.run(plain(Arc::clone(&backend), 1)).await, Ok(2));
        assert_eq!(world.run(plain(Arc::clone(&backend), 1)).await, Ok(2), "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn an_error_that_clones_answers_everybody_after_one_load() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(101, || cloned(Arc::clone(&backend), 2));
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        let answers = within(crowd.join_all()).await;
        assert!(answers.iter().all(|answer| *answer == Err(Cloned(1))), "{}", world.name);
        assert_eq!((answers.len(), backend.loads()), (101, 1), "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_shared_error_is_the_same_one_for_leader_and_waiters() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(101, || shared(Arc::clone(&backend), 3).with_outcome());
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        let answers = within(crowd.join_all()).await;
        assert_eq!(backend.loads(), 1, "{}", world.name);
        let computed = answers.iter().filter(|(_, how)| how.kind == Kind::Computed).count();
        assert_eq!((answers.len(), computed), (101, 1), "{}", world.name);
        for (answer, _) in &answers {
            let error = answer.as_ref().unwrap_err();
            let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
            assert_eq!(chain, ["loading `shared` failed", "reading rows", "the disk is gone"]);
            let failed = error.downcast_ref::<herdless::LoadFailed>().unwrap();
            let cause: *const dyn std::error::Error = failed.source().unwrap();
            let first = answers[0].0.as_ref().unwrap_err().downcast_ref::<herdless::LoadFailed>();
            let same: *const dyn std::error::Error = first.unwrap().source().unwrap();
            assert!(std::ptr::addr_eq(cause, same), "one error behind all of them");
        }
        world.is_idle().await;
    }
}

#[tokio::test]
async fn an_error_that_cannot_be_shared_costs_each_its_own_run_four_at_a_time() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(40, || plain(Arc::clone(&backend), 0));
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        let mut numbers: Vec<u32> = within(crowd.join_all())
            .await
            .into_iter()
            .map(|answer| answer.unwrap_err().0)
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=40).collect::<Vec<_>>(), "{}: to each its own", world.name);
        assert!(backend.most_at_once() <= 4, "{} at once", backend.most_at_once());
        assert_eq!(world.cache.count(Event::LoadFailed), 40, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn turns_run_four_together_and_no_more() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(40, || plain(Arc::clone(&backend), 0));
        backend.started(1).await;
        settle().await;
        for ended in [1, 4, 8] {
            backend.allow(ended);
            backend.started(ended + 4).await;
            settle().await;
            assert_eq!(backend.loads(), ended + 4, "{}", world.name);
        }
        backend.open_gate();
        within(crowd.join_all()).await;
        assert_eq!(backend.most_at_once(), 4, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn one_turn_that_succeeds_answers_the_rest() {
    for world in World::all() {
        let backend = Backend::closed();
        let crowd = world.crowd(40, || plain(Arc::clone(&backend), 3));
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        let answers = within(crowd.join_all()).await;
        let failed = answers.iter().filter(|answer| answer.is_err()).count();
        assert_eq!(failed, 3, "{}", world.name);
        assert!(backend.loads() <= 3 + 4, "{}: {} loads", world.name, backend.loads());
        world.is_idle().await;
    }
}

#[cached(ttl = 10, stale_if_error = 600, reason = "a test", skip(backend))]
async fn resilient(backend: Arc<Backend>, id: u32) -> Answer<u32> {
    let _ = id;
    Err(Plain(backend.load().await))
}

#[tokio::test]
async fn the_last_value_stands_in_for_a_failed_load_for_everybody() {
    for world in World::all() {
        let past = |age| Past {
            age: Duration::from_secs(age),
            fresh_for: Duration::from_secs(10),
            cost: None,
        };
        let backend = Backend::closed();
        let call = resilient(Arc::clone(&backend), 1);
        world.run(plant(&call, Ok(7), past(60))).await.unwrap();
        let crowd = world.crowd(20, || resilient(Arc::clone(&backend), 1).with_outcome());
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        for (answer, how) in within(crowd.join_all()).await {
            assert_eq!((answer, how.kind), (Ok(7), Kind::StaleOnError), "{}", world.name);
            assert!(how.age >= Some(Duration::from_secs(60)));
        }
        assert_eq!(backend.loads(), 1, "{}", world.name);

        world.run(plant(&call, Ok(7), past(611))).await.unwrap();
        assert_eq!(world.run(call).await, Err(Plain(2)), "{}: too old", world.name);
        world.is_idle().await;
    }
}

#[cached(ttl = 60, strategy = "swr", grace = 600, reason = "a test", skip(backend))]
async fn refreshed(backend: Arc<Backend>, id: u32) -> Answer<u32> {
    let _ = id;
    Err(Plain(backend.load().await))
}

#[tokio::test]
async fn a_failed_refresh_keeps_the_stale_value_and_is_not_tried_at_every_call() {
    for world in World::all() {
        let backend = Backend::open();
        let past =
            Past { age: Duration::from_secs(90), fresh_for: Duration::from_secs(60), cost: None };
        world.run(plant(&refreshed(Arc::clone(&backend), 1), Ok(7), past)).await.unwrap();
        for _ in 0..20 {
            assert_eq!(
                world.run(refreshed(Arc::clone(&backend), 1)).await,
                Ok(7),
                "{}",
                world.name
            );
            settle().await;
        }
        eventually("the refresh fails", || world.cache.count(Event::LoadFailed) >= 1).await;
        assert_eq!(backend.loads(), 1, "{}: within the first second", world.name);
        world.is_idle().await;
    }
}

/// Fails once, then hangs for as many loads as it is told, then answers.
#[cached(ttl = 60, skip(backend), wait = "300ms")]
async fn hangs(backend: Arc<Backend>, hung: u32) -> Answer<u32> {
    match backend.load().await {
        1 => Err(Plain(1)),
        number if number <= 1 + hung => std::future::pending().await,
        number => Ok(number),
    }
}

#[tokio::test]
async fn turns_that_hang_are_taken_over_like_any_load() {
    for world in World::all() {
        let backend = Backend::closed();
        let mut crowd = world.crowd(10, || hangs(Arc::clone(&backend), 4));
        backend.started(1).await;
        settle().await;
        backend.open_gate();
        for _ in 0..6 {
            within(crowd.join_next()).await.unwrap().unwrap().ok(); // one error, five values
        }
        assert_eq!(backend.loads(), 6, "{}: the turns hang, one load answers the rest", world.name);
        crowd.abort_all();
    }
}

#[cached(ttl = 60, strategy = "swr", grace = 600, reason = "a test", skip(backend), key = "{id}")]
async fn grown(backend: Arc<Backend>, id: u32) -> Vec<u8> {
    let _ = id;
    backend.load().await;
    vec![1; 9 << 20]
}

#[tokio::test]
async fn a_refresh_that_cannot_be_stored_is_not_tried_at_every_call() {
    let world = World::redis();
    let backend = Backend::open();
    let past =
        Past { age: Duration::from_secs(90), fresh_for: Duration::from_secs(60), cost: None };
    world.run(plant(&grown(Arc::clone(&backend), 1), vec![7], past)).await.unwrap();
    for _ in 0..20 {
        assert_eq!(world.run(grown(Arc::clone(&backend), 1)).await, [7]);
        world.is_idle().await;
    }
    assert_eq!(backend.loads(), 1, "within the first second");
}
