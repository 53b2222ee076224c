//! The end of a program: what runs behind its callers finishes, or is given up in good order.

use std::sync::Arc;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Cache, Event, Kind, RedisStore, Shutdown, cached, with_cache};

use crate::backend::{Backend, World, settle, within};
use crate::fleet::ask;

/// Longer than any guard: what ends sooner does not end by this.
const LONG: Duration = Duration::from_secs(600);

/// A lease that outlives every guard of these tests: what frees it is not its lapse.
#[cached(ttl = 60, skip(backend), lease = 60)]
async fn owned(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = 60)]
async fn borrowed(backend: &Backend, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = "300ms")]
async fn often_renewed(backend: &Backend, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = 60, strategy = "swr", grace = 60, reason = "a test")]
async fn stale(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

fn counts(sum: Shutdown) -> (usize, usize, usize, usize) {
    (sum.finished, sum.given_up, sum.released, sum.unsent)
}

/// A load whose caller has left.
async fn detached(world: &World, backend: &Arc<Backend>) {
    let caller = world.spawn(owned(Arc::clone(backend), 1));
    backend.started(1).await;
    caller.abort();
    within(caller).await.unwrap_err();
    assert_eq!(world.cache.count(Event::LoadDetached), 1, "{}", world.name);
}

fn shut_down(world: &World, deadline: Duration) -> tokio::task::JoinHandle<Shutdown> {
    let cache = world.cache.clone();
    tokio::spawn(async move { cache.shutdown(deadline).await })
}

/// Leases in the store.
fn leases(world: &World) -> usize {
    let server = world.server.as_ref();
    server.map_or(0, |server| ask::<Vec<String>>(server, &["KEYS", "*:lease"]).unwrap().len())
}

#[tokio::test]
async fn a_load_behind_its_caller_finishes() {
    for world in World::all() {
        let backend = Backend::closed();
        detached(&world, &backend).await;
        let shutdown = shut_down(&world, LONG);
        settle().await;
        assert!(!shutdown.is_finished(), "{}: it waits", world.name);
        backend.open_gate();
        let sum = within(shutdown).await.unwrap();
        assert_eq!(counts(sum), (1, 0, 0, 0), "{}", world.name);
        let stored = with_cache(world.elsewhere(), within(owned(backend, 1).peek())).await;
        assert_eq!(stored.unwrap(), Some(1), "{}", world.name);
        assert_eq!(leases(&world), 0);
    }
}

#[tokio::test]
async fn a_refresh_behind_its_caller_finishes() {
    for world in World::all() {
        let backend = Backend::closed();
        let past =
            Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
        world.run(plant(&stale(Arc::clone(&backend), 1), 500, past)).await.unwrap();
        assert_eq!(world.run(stale(Arc::clone(&backend), 1)).await, 500);
        backend.started(1).await;
        let shutdown = shut_down(&world, LONG);
        settle().await;
        backend.open_gate();
        assert_eq!(counts(within(shutdown).await.unwrap()), (1, 0, 0, 0), "{}", world.name);
        assert_eq!(world.run(stale(backend, 1)).await, 1, "{}", world.name);
    }
}

#[tokio::test]
async fn at_the_deadline_a_load_is_given_up_and_who_waits_elsewhere_loads() {
    let world = World::redis();
    let (backend, there) = (Backend::closed(), Backend::open());
    detached(&world, &backend).await;
    let waiter = with_cache(world.elsewhere(), within(owned(Arc::clone(&there), 1)));
    let waiter = tokio::spawn(waiter);
    world.waits_for_another_process(owned(Arc::clone(&there), 1).key()).await;
    let sum = within(world.cache.shutdown(Duration::from_millis(20))).await;
    assert_eq!(counts(sum), (0, 1, 1, 0));
    assert_eq!(within(waiter).await.unwrap(), 1);
    assert_eq!((there.loads(), backend.running()), (1, 0), "the loader was dropped");
    world.is_idle().await;
    assert_eq!(counts(within(world.cache.shutdown(LONG)).await), counts(sum), "all is done");
}

#[tokio::test]
async fn without_a_store_a_load_is_given_up_too() {
    let world = World::embedded();
    let backend = Backend::closed();
    detached(&world, &backend).await;
    let sum = within(world.cache.shutdown(Duration::from_millis(20))).await;
    assert_eq!(counts(sum), (0, 1, 0, 0));
    world.is_idle().await;
    assert_eq!(backend.running(), 0);
}

#[tokio::test]
async fn a_load_in_its_callers_task_goes_on_without_its_lease() {
    for world in World::all() {
        let backend = Backend::closed();
        let loads = Arc::clone(&backend);
        let caller = world.spawn(async move { borrowed(&loads, 1).await });
        backend.started(1).await;
        let sum = within(world.cache.shutdown(Duration::from_millis(20))).await;
        let released = usize::from(world.server.is_some());
        assert_eq!(counts(sum), (0, 1, released, 0), "{}", world.name);
        assert_eq!(leases(&world), 0, "{}", world.name);
        backend.open_gate();
        assert_eq!(within(caller).await.unwrap(), 1, "{}", world.name);
        let stored = with_cache(world.elsewhere(), within(borrowed(&backend, 1).peek())).await;
        assert_eq!(stored.unwrap(), Some(1), "{}: nothing superseded it", world.name);
    }
}

#[tokio::test]
async fn a_lease_that_was_given_back_is_not_renewed() {
    let world = World::redis();
    let backend = Backend::closed();
    let loads = Arc::clone(&backend);
    let caller = world.spawn(async move { often_renewed(&loads, 1).await });
    backend.started(1).await;
    assert_eq!(counts(within(world.cache.shutdown(Duration::ZERO)).await), (0, 1, 1, 0));
    for _ in 0..80 {
        assert_eq!(leases(&world), 0); // for four beats
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    backend.open_gate();
    assert_eq!(within(caller).await.unwrap(), 1);
}

#[tokio::test]
async fn a_load_that_ends_in_its_callers_task_is_waited_for() {
    for world in World::all() {
        let backend = Backend::closed();
        let loads = Arc::clone(&backend);
        let caller = world.spawn(async move { borrowed(&loads, 1).await });
        backend.started(1).await;
        let shutdown = shut_down(&world, LONG);
        settle().await;
        backend.open_gate();
        assert_eq!(counts(within(shutdown).await.unwrap()), (1, 0, 0, 0), "{}", world.name);
        assert_eq!(within(caller).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn calls_after_a_shutdown_load_in_their_callers_and_end_with_them() {
    for world in World::all() {
        let backend = Backend::closed();
        assert_eq!(counts(within(world.cache.shutdown(LONG)).await), (0, 0, 0, 0));
        let caller = world.spawn(owned(Arc::clone(&backend), 1));
        backend.started(1).await;
        caller.abort();
        within(caller).await.unwrap_err();
        world.is_idle().await;
        let (detached, left) = (Event::LoadDetached, Event::LoadLeft);
        let counted = (world.cache.count(detached), world.cache.count(left));
        assert_eq!((counted, backend.running()), ((0, 1), 0), "{}", world.name);

        backend.open_gate();
        assert_eq!(world.run(owned(Arc::clone(&backend), 1)).await, 2, "{}", world.name);
        let past =
            Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
        world.run(plant(&stale(Arc::clone(&backend), 1), 500, past)).await.unwrap();
        let (value, how) = world.run(stale(Arc::clone(&backend), 1).with_outcome()).await;
        assert_eq!((value, how.kind), (3, Kind::Computed), "{}: a refresh too", world.name);
    }
}

/// A load whose caller leaves while the shutdown waits is not taken over by anybody.
#[tokio::test]
async fn a_caller_that_leaves_during_a_shutdown_ends_its_load() {
    for world in World::all() {
        let backend = Backend::closed();
        let caller = world.spawn(owned(Arc::clone(&backend), 1));
        backend.started(1).await;
        let shutdown = shut_down(&world, LONG);
        settle().await;
        caller.abort();
        let sum = within(shutdown).await.unwrap();
        assert_eq!(counts(sum), (0, 1, 0, 0), "{}", world.name);
        assert_eq!(leases(&world), 0, "{}: it was waited for", world.name);
    }
}

/// The tasks that would send it behind end with their runtime.
#[test]
fn what_the_store_never_heard_of_is_sent_at_the_end_or_told() {
    let world = World::redis();
    let server = world.server.as_ref().unwrap();
    let store = RedisStore::connect(server.url()).unwrap();
    let cache = Cache::builder().store(store).namespace("test").build();
    let backend = Backend::open();
    let runtime =
        || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime().block_on(async {
        with_cache(cache.clone(), within(owned(Arc::clone(&backend), 1))).await;
        with_cache(cache.clone(), within(stale(Arc::clone(&backend), 1))).await;
        server.pause();
        let change = owned(Arc::clone(&backend), 1).invalidate();
        with_cache(cache.clone(), within(change)).await.unwrap_err();
        let function = stale(Arc::clone(&backend), 1).function();
        within(function.invalidate_all(&cache)).await.unwrap_err();
        assert_eq!(counts(within(cache.shutdown(LONG)).await), (0, 0, 0, 2));
    });
    server.resume();
    runtime().block_on(async {
        let elsewhere = world.elsewhere();
        let peek = with_cache(elsewhere.clone(), within(stale(Arc::clone(&backend), 1).peek()));
        assert!(peek.await.unwrap().is_some(), "nobody has told it yet");
        assert_eq!(counts(within(cache.shutdown(LONG)).await), (0, 0, 0, 0));
        let peek = with_cache(elsewhere.clone(), within(stale(Arc::clone(&backend), 1).peek()));
        assert_eq!(peek.await.unwrap(), None);
        let peek = with_cache(elsewhere, within(owned(backend, 1).peek()));
        assert_eq!(peek.await.unwrap(), None);
    });
}
