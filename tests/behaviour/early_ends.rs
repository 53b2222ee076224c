//! Background refreshes that end before their time: nothing of theirs stays behind.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Call, Event, Kind, cached};

use crate::backend::{Backend, World, eventually};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    PanicsAtOnce,
    PanicsLater,
    Fails,
    BringsWhatIsNotStored,
    Works,
}

type Answer = Result<Option<u32>, ()>;

async fn body(how: How) -> Answer {
    assert!(how != How::PanicsAtOnce, "before it waits for anything");
    tokio::task::yield_now().await;
    match how {
        How::PanicsLater => panic!("after it has waited"),
        How::Fails => Err(()),
        How::BringsWhatIsNotStored => Ok(None),
        _ => Ok(Some(42)),
    }
}

const STALE: Past =
    Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };

macro_rules! ends {
    ($($name:ident: $how:ident, $event:ident;)*) => {$(
        mod $name {
            use super::*;

            // A function whose refresh has panicked is refreshed inline from then on, so each test
            // has functions of its own.
            #[cached(
                ttl = 60, grace = 600, strategy = "swr", reason = "a test", none = "skip",
                lease = 60, skip(how)
            )]
            async fn embedded(how: How) -> Result<Option<u32>, ()> {
                body(how).await
            }

            #[cached(
                ttl = 60, grace = 600, strategy = "swr", reason = "a test", none = "skip",
                lease = 60, skip(how)
            )]
            async fn shared(how: How) -> Result<Option<u32>, ()> {
                body(how).await
            }

            #[tokio::test]
            async fn the_next_load_waits_for_nothing() {
                next_load(World::embedded(), Event::$event, How::$how, embedded).await;
                next_load(World::redis(), Event::$event, How::$how, shared).await;
            }
        }
    )*};
}

ends! {
    after_a_panic_before_it_waits: PanicsAtOnce, LoadPanicked;
    after_a_panic_later: PanicsLater, LoadPanicked;
    after_an_error: Fails, LoadFailed;
    after_a_value_that_is_not_stored: BringsWhatIsNotStored, NoneSkipped;
}

async fn next_load<F: Future<Output = Answer> + Send>(
    world: World,
    event: Event,
    how: How,
    function: impl Fn(How) -> Call<F>,
) {
    world.run(plant(&function(How::Works), Ok(Some(7)), STALE)).await.unwrap();
    assert_eq!(world.run(function(how)).await, Ok(Some(7)), "{}", world.name);
    eventually("it has ended", || world.cache.count(event) == 1).await;
    world.is_idle().await;
    world.evict(function(How::Works).key()).await;
    let (value, outcome) = world.run(function(How::Works).with_outcome()).await;
    assert_eq!((value, outcome.kind), (Ok(Some(42)), Kind::Computed), "{}", world.name);
    world.is_idle().await;
}

#[cached(
    ttl = 60,
    grace = 600,
    strategy = "swr",
    reason = "a test",
    lease = 60,
    skip(backend, waits)
)]
async fn row(backend: Arc<Backend>, waits: bool) -> u32 {
    if waits { backend.load().await } else { 42 }
}

/// The runtime goes, and with it whoever could have sent the release: the next caller sends it.
#[test]
fn a_refresh_that_is_dropped_with_its_runtime_holds_nothing_in_its_process() {
    let runtime =
        || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for world in [World::embedded as fn() -> World, World::redis] {
        let backend = Backend::closed();
        let call = |waits| row(Arc::clone(&backend), waits);
        let first = runtime();
        let world = first.block_on(async {
            let world = world();
            world.run(plant(&call(false), 7, STALE)).await.unwrap();
            assert_eq!(world.run(call(true)).await, 7);
            backend.started(1).await;
            world
        });
        drop(first);
        assert_eq!(world.cache.flights(), 0, "{}: its record left with it", world.name);
        runtime().block_on(async {
            world.evict(call(false).key()).await;
            let (value, outcome) = world.run(call(false).with_outcome()).await;
            assert_eq!((value, outcome.kind), (42, Kind::Computed), "{}", world.name);
            world.is_idle().await;
        });
    }
}
