//! Loads that panic, in the body or when their value is written.

use std::sync::Arc;

use herdless::{Event, cached};

use crate::backend::{Backend, World, settle, within};

#[cached(ttl = 60, skip(backend))]
async fn panics(backend: Arc<Backend>, times: u32) -> u32 {
    let number = backend.load().await;
    assert!(number > times, "load {number}");
    number
}

#[tokio::test]
async fn a_panic_reaches_its_caller_and_frees_the_key() {
    for world in World::all() {
        let backend = Backend::closed();
        let first = world.spawn(panics(Arc::clone(&backend), 1));
        backend.started(1).await;
        let crowd = world.crowd(19, || panics(Arc::clone(&backend), 1));
        settle().await;
        backend.open_gate();
        assert!(within(first).await.unwrap_err().is_panic(), "{}", world.name);
        assert_eq!(within(crowd.join_all()).await, [2; 19], "{}", world.name);
        assert_eq!(backend.loads(), 2, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_body_that_always_panics_elects_twice_and_then_takes_turns() {
    for world in World::all() {
        let backend = Backend::closed();
        let mut crowd = world.crowd(20, || panics(Arc::clone(&backend), u32::MAX));
        for (ended, running) in [(0, 1), (1, 1), (2, 1), (3, 4)] {
            backend.allow(ended);
            backend.started(ended + running).await;
            settle().await;
            assert_eq!(backend.loads(), ended + running, "{}: after {ended} panics", world.name);
        }
        backend.open_gate();
        let mut panicked = 0;
        while let Some(answer) = within(crowd.join_next()).await {
            panicked += u32::from(answer.unwrap_err().is_panic());
        }
        assert_eq!((panicked, backend.loads()), (20, 20), "{}", world.name);
        assert_eq!(backend.most_at_once(), 4, "{}", world.name);
        world.is_idle().await;
    }
}

/// Panics when it is written.
#[derive(Debug, Clone)]
struct Boom;

impl serde::Serialize for Boom {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("boom")
    }
}

impl<'de> serde::Deserialize<'de> for Boom {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Self)
    }
}

#[cached(ttl = 60, skip(backend))]
async fn booms(backend: Arc<Backend>, id: u32) -> Boom {
    let _ = id;
    backend.load().await;
    Boom
}

#[tokio::test]
async fn a_value_that_panics_when_written_is_a_panic_of_its_load() {
    let world = World::redis();
    let backend = Backend::open();
    let mut crowd = world.crowd(10, || booms(Arc::clone(&backend), 1));
    let mut panicked = 0;
    while let Some(answer) = within(crowd.join_next()).await {
        panicked += u64::from(answer.unwrap_err().is_panic());
    }
    assert_eq!((panicked, world.cache.count(Event::LoadPanicked)), (10, 10));
    world.is_idle().await;
}

#[cached(ttl = 60, skip(backend), detach = false)]
async fn innocent(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

/// It is not the load that panics, but what stands around it.
#[tokio::test]
async fn a_panic_around_a_call_is_none_of_its_load() {
    for world in World::all() {
        let backend = Backend::closed();
        let call = world.spawn({
            let (call, backend) = (innocent(Arc::clone(&backend), 1), Arc::clone(&backend));
            async move {
                tokio::select! {
                    _ = call => {}
                    () = backend.started(1) => panic!("a test asks for it"),
                }
            }
        });
        assert!(within(call).await.unwrap_err().is_panic());
        backend.open_gate();
        assert_eq!(world.run(innocent(Arc::clone(&backend), 1)).await, 2, "{}", world.name);
        let counted = [Event::LoadPanicked, Event::LoadLeft].map(|event| world.cache.count(event));
        assert_eq!(counted, [0, 1], "{}", world.name);
        world.is_idle().await;
    }
}
