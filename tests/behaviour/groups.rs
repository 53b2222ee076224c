//! All values of one function removed at once.

use std::sync::Arc;
use std::time::Duration;

use herdless::{Cache, CachedFn, Event, Kind, RedisStore, cached, with_cache};

use crate::backend::{Backend, World, settle, within, within_span};
use crate::fleet::ask;
use crate::server::Server;

/// A lease that outlives the test: no renewal sets a mark again that a test has removed.
#[cached(ttl = 60, skip(backend), lease = 60)]
pub(crate) async fn rows(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend))]
pub(crate) async fn rows_of(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), name = "groups::versioned", version = 1)]
async fn first(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[cached(ttl = 60, skip(backend), name = "groups::versioned", version = 11)]
async fn eleventh(backend: Arc<Backend>, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

pub(crate) fn function() -> &'static CachedFn {
    rows(Backend::open(), 0).function()
}

#[tokio::test]
async fn a_function_loses_all_its_values_and_no_other_does() {
    for world in World::all() {
        let backend = Backend::open();
        let load = |id| {
            let backend = &backend;
            let all = async move {
                rows(Arc::clone(backend), id).await;
                rows_of(Arc::clone(backend), id).await;
                first(Arc::clone(backend), id).await;
                eleventh(Arc::clone(backend), id).await;
            };
            world.run(all)
        };
        for id in 0..50 {
            load(id).await;
        }
        within(function().invalidate_all(&world.elsewhere())).await.unwrap();
        within(world.elsewhere().invalidate_function("groups::versioned", 1)).await.unwrap();
        let before = backend.loads();
        for id in 0..50 {
            load(id).await;
        }
        assert_eq!(backend.loads() - before, 100, "{}: `rows` and `first`", world.name);
        let again = world.run(rows(Arc::clone(&backend), 7).with_outcome()).await;
        assert_eq!(again.1.kind, Kind::Hit, "{}: loads begun after are kept", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn what_reads_like_a_pattern_in_a_namespace_is_none() {
    let server = Server::start();
    let cache = |namespace: &str| {
        let store = RedisStore::connect(server.url()).unwrap();
        let budget = Duration::from_secs(5);
        Cache::builder().store(store).namespace(namespace).io_budget(budget).build()
    };
    let backend = Backend::open();
    let odd = ["a*b", "a?b", "[a-c]b", "a\\b", "a[^x]b", "{a}:b*"];
    let plain = ["axxb", "acb", "ab", "b", "axb", "ayb", "{a}:bc"];
    let ask =
        |namespace| with_cache(cache(namespace), within(rows(Arc::clone(&backend), 1).peek()));
    for namespace in odd.into_iter().chain(plain) {
        with_cache(cache(namespace), within(rows(Arc::clone(&backend), 1))).await;
    }
    for namespace in odd {
        assert!(ask(namespace).await.unwrap().is_some(), "{namespace} is touched by another's");
        within(function().invalidate_all(&cache(namespace))).await.unwrap();
        assert_eq!(ask(namespace).await.unwrap(), None, "{namespace}");
    }
    for namespace in plain {
        assert!(ask(namespace).await.unwrap().is_some(), "{namespace}");
    }
}

#[tokio::test]
async fn a_load_that_runs_is_refused_and_who_comes_after_does_not_join_it() {
    for world in World::all() {
        let backend = Backend::closed();
        let before = world.spawn(rows(Arc::clone(&backend), 1));
        let other = world.spawn(rows_of(Arc::clone(&backend), 1));
        backend.started(2).await;
        within(function().invalidate_all(&world.elsewhere())).await.unwrap();
        let after = world.spawn(rows(Arc::clone(&backend), 1));
        settle().await;
        backend.open_gate();
        within(before).await.unwrap();
        within(other).await.unwrap();
        assert_eq!(within(after).await.unwrap(), 3, "{}", world.name);
        let peek = with_cache(world.elsewhere(), within(rows(Arc::clone(&backend), 1).peek()));
        assert_eq!(peek.await.unwrap(), Some(3), "{}", world.name);
        assert_eq!(world.cache.count(Event::Superseded), 1, "{}", world.name);
        world.is_idle().await;
    }
}

#[tokio::test]
async fn five_thousand_values_go() {
    let world = World::redis();
    let backend = Backend::open();
    for ids in (0..5000).collect::<Vec<u32>>().chunks(500) {
        let mut ids = ids.iter();
        let crowd = world.crowd(ids.len(), || rows(Arc::clone(&backend), *ids.next().unwrap()));
        within(crowd.join_all()).await;
    }
    let removed = function().invalidate_all(&world.cache);
    within_span(Duration::from_secs(60), removed).await.unwrap();
    let left: Vec<String> = ask(world.server.as_ref().unwrap(), &["KEYS", "*)}"]).unwrap();
    assert_eq!(left, Vec::<String>::new());
    let generations: Vec<String> = ask(world.server.as_ref().unwrap(), &["KEYS", "*:gen"]).unwrap();
    assert_eq!(generations.len(), 5000);
}

struct Bank<T>(T);

impl<T: Clone + Send + Sync + 'static> Bank<T> {
    #[cached(ttl = 60, key = "{id}", skip(self, backend))]
    async fn quote(&self, backend: Arc<Backend>, id: u32) -> u32 {
        let _ = (id, self.0.clone());
        backend.load().await
    }
}

#[cached(ttl = 60, skip(backend, _of), key = "{id}")]
async fn of_any<T: Send + 'static>(backend: Arc<Backend>, _of: T, id: u32) -> u32 {
    let _ = id;
    backend.load().await
}

#[tokio::test]
async fn instances_of_generic_functions_belong_to_them() {
    for world in World::all() {
        let backend = Backend::open();
        let back = || Arc::clone(&backend);
        let all = || async {
            world.run(Bank(1_u8).quote(back(), 1)).await;
            world.run(Bank(vec![(1_u8, "x")]).quote(back(), 1)).await;
            world.run(of_any(back(), 1_u8, 1)).await;
            world.run(of_any(back(), Some("x"), 1)).await;
            world.run(rows(back(), 1)).await;
        };
        all().await;
        let functions = [Bank(1_u64).quote(back(), 0).function(), of_any(back(), (), 0).function()];
        for function in functions {
            within(function.invalidate_all(&world.elsewhere())).await.unwrap();
        }
        all().await;
        assert_eq!(backend.loads(), 5 + 4, "{}", world.name);
    }
}
