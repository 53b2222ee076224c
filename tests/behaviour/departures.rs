//! Callers that leave, or stay without being polled, hurt nobody else.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use herdless::{Event, cached, with_cache};

use tokio::task::JoinSet;

use crate::backend::{Backend, World, settle, within, within_span};

#[cached(ttl = 60, skip(backend), lease = "300ms", wait = 30)]
async fn owned(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = "300ms", wait = 30)]
pub(crate) async fn borrowed(backend: &Backend, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

/// A lease that outlives every guard of these tests: what frees it is not its lapse.
#[cached(ttl = 60, skip(backend), lease = 60)]
async fn steady(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = 60)]
async fn steady_borrowed(backend: &Backend, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = 60, detach = false)]
async fn steady_inline(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), lease = 60, detach = true)]
async fn steady_copied(backend: &Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Owned,
    Borrowed,
    Inline,
    Copied,
}

impl Form {
    async fn call(self, backend: Arc<Backend>) -> u32 {
        match self {
            Self::Owned => steady(backend, 1).await,
            Self::Borrowed => steady_borrowed(&backend, 1).await,
            Self::Inline => steady_inline(backend, 1).await,
            Self::Copied => steady_copied(&backend, 1).await,
        }
    }

    /// Loads that a leader's departure costs in all.
    fn loads(self) -> u32 {
        if matches!(self, Self::Owned | Self::Copied) { 1 } else { 2 }
    }
}

/// Nineteen callers of a load whose first caller is about to leave.
async fn nineteen(world: &World, backend: &Arc<Backend>, form: Form) -> JoinSet<u32> {
    let crowd = world.crowd(19, || form.call(Arc::clone(backend)));
    settle().await;
    crowd
}

async fn leaves(world: &World, form: Form, how: &str) {
    let backend = Backend::closed();
    let lead = form.call(Arc::clone(&backend));
    let (lose, lost) = tokio::sync::oneshot::channel::<()>();
    let span = Duration::from_millis(if how == "timeout" { 200 } else { 60_000 });
    let leader = world.spawn(async move {
        tokio::select! { _ = tokio::time::timeout(span, lead) => {}, _ = lost => {} }
    });
    backend.started(1).await;
    let crowd = nineteen(world, &backend, form).await;
    match how {
        "abort" => leader.abort(),
        "select" => lose.send(()).unwrap(),
        _ => {}
    }
    let left = within(leader).await;
    assert_eq!(left.is_err_and(|error| error.is_cancelled()), how == "abort");
    backend.open_gate();
    let values = within(crowd.join_all()).await;
    let place = format!("{} {how} {form:?}", world.name);
    assert_eq!(backend.loads(), form.loads(), "{place}");
    assert_eq!(values, [form.loads(); 19], "{place}");
    world.is_idle().await;
}

#[tokio::test]
async fn a_leader_that_leaves_costs_nothing_where_its_load_can_go_on_and_one_load_elsewhere() {
    for form in [Form::Owned, Form::Borrowed, Form::Inline, Form::Copied] {
        for make in [World::embedded as fn() -> World, World::redis] {
            for how in ["abort", "timeout", "select"] {
                let world = make();
                leaves(&world, form, how).await;
                let (detached, left) = (Event::LoadDetached, Event::LoadLeft);
                let counts = (world.cache.count(detached), world.cache.count(left));
                let expected = if form.loads() == 1 { (1, 0) } else { (0, 1) };
                assert_eq!(counts, expected, "{} {how} {form:?}", world.name);
            }
        }
    }
}

#[tokio::test]
async fn when_everybody_leaves_nothing_stays() {
    for world in World::all() {
        let backend = Backend::closed();
        let mut crowd = nineteen(&world, &backend, Form::Borrowed).await;
        backend.started(1).await;
        crowd.abort_all();
        while within(crowd.join_next()).await.is_some() {}
        world.is_idle().await;
        assert_eq!(world.cache.count(Event::Joined), 0, "{}", world.name);
    }
}

#[tokio::test]
async fn a_leader_that_is_not_polled_delays_others_by_a_lease() {
    for world in World::all() {
        for owned_form in [true, false] {
            let backend = Backend::closed();
            let keep = Arc::clone(&backend);
            let mut leader = pin!(with_cache(world.cache.clone(), async move {
                if owned_form { owned(keep, 2).await } else { borrowed(&keep, 2).await }
            }));
            tokio::select! { _ = &mut leader => unreachable!(), () = backend.started(1) => {} }
            let crowd = nineteen_of(&world, &backend, owned_form);
            settle().await;
            backend.open_gate();
            let values = within_span(Duration::from_secs(5), crowd.join_all()).await;
            assert_eq!(values, [2; 19], "{} owned={owned_form}", world.name);
            assert_eq!(within(leader).await, 1, "its own load, late");
            world.run(owned(Backend::open(), 2).invalidate()).await.unwrap();
            world.run(borrowed(&backend, 2).invalidate()).await.unwrap();
            world.is_idle().await;
        }
    }
}

fn nineteen_of(world: &World, backend: &Arc<Backend>, owned_form: bool) -> JoinSet<u32> {
    world.crowd(19, || {
        let backend = Arc::clone(backend);
        async move { if owned_form { owned(backend, 2).await } else { borrowed(&backend, 2).await } }
    })
}

#[tokio::test]
async fn a_waiter_that_is_not_polled_delays_nobody() {
    for world in World::all() {
        let backend = Backend::closed();
        let first = Arc::clone(&backend);
        let leader = world.spawn(async move { borrowed(&first, 3).await });
        backend.started(1).await;
        let mut waiter = pin!(with_cache(world.cache.clone(), borrowed(&backend, 3)));
        tokio::select! { biased; _ = &mut waiter => unreachable!(), () = settle() => {} }
        let crowd = world.crowd(19, || {
            let backend = Arc::clone(&backend);
            async move { borrowed(&backend, 3).await }
        });
        settle().await;
        leader.abort(); // the seat is free for everybody, the unpolled waiter included
        backend.open_gate();
        let values = within_span(Duration::from_secs(5), crowd.join_all()).await;
        assert_eq!(values, [2; 19], "{}", world.name);
        assert_eq!(within(waiter).await, 2, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn a_waiter_that_took_the_seat_and_is_not_polled_delays_others_by_a_lease() {
    for world in World::all() {
        let backend = Backend::closed();
        let mut seated = pin!(with_cache(world.cache.clone(), borrowed(&backend, 4)));
        tokio::select! { biased; _ = &mut seated => unreachable!(), () = std::future::ready(()) => {} }
        backend.open_gate();
        let crowd = world.crowd(19, || {
            let backend = Arc::clone(&backend);
            async move { borrowed(&backend, 4).await }
        });
        let values = within_span(Duration::from_secs(5), crowd.join_all()).await;
        assert!(values.iter().all(|value| *value == values[0]), "{} {values:?}", world.name);
        assert!(backend.loads() <= 2, "{}", world.name);
        within(seated).await;
        world.is_idle().await;
    }
}

tokio::task_local! {
    static TENANT: u32;
}

#[cached(ttl = 60, key = "{id}")]
async fn of_tenant(id: u32) -> u32 {
    let _ = id;
    tokio::task::yield_now().await;
    TENANT.get()
}

#[tokio::test]
async fn a_body_that_reads_a_task_local_works_as_leader() {
    for world in World::all() {
        assert_eq!(TENANT.scope(7, world.run(of_tenant(1))).await, 7);
    }
}

#[cached(ttl = 60, strategy = "swr", grace = 60, reason = "a test", key = "{id}")]
async fn of_tenant_stale(id: u32) -> u32 {
    let _ = id;
    TENANT.get()
}

#[tokio::test]
async fn a_refresh_that_panics_behind_runs_inline_from_then_on() {
    use herdless::testing::{Past, plant};
    let world = World::embedded();
    let stale =
        Past { age: Duration::from_secs(70), fresh_for: Duration::from_secs(60), cost: None };
    world.run(plant(&of_tenant_stale(1), 1, stale)).await.unwrap();
    world.run(plant(&of_tenant_stale(2), 1, stale)).await.unwrap();
    assert_eq!(TENANT.scope(7, world.run(of_tenant_stale(1))).await, 1, "stale, refreshed behind");
    crate::backend::eventually("the refresh panics", || {
        world.cache.count(Event::LoadPanicked) == 1
    })
    .await;
    assert_eq!(TENANT.scope(8, world.run(of_tenant_stale(2))).await, 8, "refreshed inline");
    world.is_idle().await;
}
