use std::time::{Duration, Instant};

use cache_core::ErrorKind;
use cache_core::store::{Committed, Load, Mark, Next, Store as _};
use cache_redis::RedisStore;

use crate::fleet::{Cluster, allow, ask};
use crate::scan::names;
use crate::support::{KEY, MINUTE, SHAPE, begin, begin_anyway, entry, eventually, heard};

/// A key of each primary's.
const KEYS: [&str; 3] = ["{shop:a}", "{shop:b}", "{shop:c}"];

fn store(cluster: &Cluster) -> RedisStore {
    RedisStore::builder().cluster(cluster.urls()).build().unwrap()
}

async fn lead(store: &RedisStore, key: &str) -> Load {
    let begin = begin_anyway();
    let begun = store.begin(key, begin).await.unwrap();
    let Next::Lead { leased, .. } = begun.next else { panic!("not led: {:?}", begun.next) };
    Load { token: begin.token, generation: begun.generation, begun: begun.time, leased }
}

/// Puts a value there and reads it.
async fn works(store: &RedisStore, key: &str) {
    let load = lead(store, key).await;
    let bytes = entry(load.begun, MINUTE, key);
    assert_eq!(store.commit(key, load, SHAPE, &bytes).await.unwrap(), Committed::Stored);
    assert_eq!(store.read(key, SHAPE).await.unwrap(), Some(bytes));
}

/// A primary that serves none of the slot.
fn other_than(primary: usize) -> usize {
    (primary + 1) % 3
}

#[tokio::test]
async fn slots_are_counted_as_the_servers_do_and_each_key_is_at_its_primary() {
    let cluster = Cluster::start();
    let store = store(&cluster);
    store.ready().await.unwrap();
    let primaries = KEYS.map(|key| cluster.primary_of(cluster.slot(key), 0).unwrap());
    assert_eq!(
        primaries.iter().collect::<std::collections::HashSet<_>>().len(),
        3,
        "{primaries:?}"
    );
    for key in KEYS {
        works(&store, key).await;
    }
    // Nobody was sent on: what moved is counted by the servers as rejected calls of the command.
    for server in &cluster.servers[..3] {
        let errors: String = ask(server, &["INFO", "errorstats"]).unwrap();
        assert!(!errors.contains("MOVED"), "{errors}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_is_followed_and_so_are_its_wake_ups() {
    let cluster = Cluster::start();
    let rights = "+@read +@write +@scripting +time +cluster|slots +asking +spublish +ssubscribe \
                  +sunsubscribe";
    allow(&cluster.servers, rights);
    let here = RedisStore::builder().cluster(cluster.urls());
    // The rights in the docs are enough.
    let store = here.username("app").password("secret").build().unwrap();
    let slot = cluster.slot(KEY);
    let from = cluster.primary_of(slot, 0).unwrap();
    let to = other_than(from);
    works(&store, KEY).await;
    assert!(names(&store, KEY).await.unwrap().contains(KEY));
    let mut subscription = store.subscribe(KEY).await.unwrap();
    // Its values are read at every step, wherever they are.
    let mut reads = 0;
    let runtime = tokio::runtime::Handle::current();
    let load = lead(&store, KEY).await;
    tokio::task::block_in_place(|| {
        cluster.move_slot(slot, from, to, || {
            reads += 1;
            let read = runtime.block_on(store.read(KEY, SHAPE));
            assert!(read.unwrap().is_some(), "step {reads}");
        });
    });
    assert!(reads > 2, "{reads}");
    heard(&mut subscription, "the move").await;
    assert_eq!(
        store.commit(KEY, load, SHAPE, &entry(load.begun, MINUTE, "new")).await.unwrap(),
        Committed::Stored,
        "the generation has moved too"
    );
    eventually("listening where the slot went", || async {
        let channel = format!("{KEY}:wake");
        let (_, count): (String, i64) =
            ask(&cluster.servers[to], &["PUBSUB", "SHARDNUMSUB", &channel]).unwrap();
        count == 1
    })
    .await;
    let told = tokio::time::timeout(Duration::from_millis(200), subscription.changed());
    let _ = told.await; // that it listens anew
    store.invalidate(KEY).await.unwrap();
    heard(&mut subscription, "the change").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_at_all_keys_is_at_every_primary_and_tells_when_slots_have_moved() {
    let cluster = Cluster::start();
    let store = store(&cluster);
    for key in KEYS {
        works(&store, key).await;
    }
    let there =
        |names: &std::collections::BTreeSet<String>| KEYS.iter().all(|&key| names.contains(key));
    assert!(there(&names(&store, "{shop:").await.unwrap()));
    let before = store.scan().await.unwrap();
    assert_eq!(before.primaries.len(), 3);
    assert_eq!(store.scan().await.unwrap().layout, before.layout);
    let slot = cluster.slot(KEYS[0]);
    let from = cluster.primary_of(slot, 0).unwrap();
    tokio::task::block_in_place(|| cluster.move_slot(slot, from, other_than(from), || ()));
    eventually("the move is seen", || async {
        store.scan().await.unwrap().layout != before.layout
    })
    .await;
    assert!(there(&names(&store, "{shop:").await.unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_waits_a_moment_for_a_moving_slot_and_then_says_so() {
    let cluster = Cluster::start();
    let (store, slot) = (store(&cluster), cluster.slot(KEY));
    let from = cluster.primary_of(slot, 0).unwrap();
    let to = other_than(from);
    works(&store, KEY).await;
    let mut steps = 0;
    let runtime = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        cluster.move_slot(slot, from, to, || {
            steps += 1;
            if steps == 1 {
                // Some of a script's keys are here and the others nowhere.
                let asked = Instant::now();
                let error = runtime.block_on(store.begin(KEY, begin())).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Moved);
                assert!(asked.elapsed() < Duration::from_millis(900), "{:?}", asked.elapsed());
            }
        });
    });
    works(&store, KEY).await;
}

#[tokio::test]
async fn a_primary_that_dies_is_succeeded_and_the_others_serve_on() {
    let mut cluster = Cluster::start();
    let store = store(&cluster);
    let slot = cluster.slot(KEY);
    let dead = cluster.primary_of(slot, 0).unwrap();
    for key in KEYS {
        works(&store, key).await;
    }
    works(&store, KEY).await;
    let mut subscription = store.subscribe(KEY).await.unwrap();
    let elsewhere = |key: &&str| cluster.primary_of(cluster.slot(key), 0) != Some(dead);
    let survivor = KEYS.into_iter().find(elsewhere).unwrap();
    cluster.servers[dead].kill();
    // At once, and not after a deadline.
    let asked = Instant::now();
    assert!(store.begin(KEY, begin_anyway()).await.is_err());
    assert!(asked.elapsed() < Duration::from_millis(900), "{:?}", asked.elapsed());
    assert!(store.read(survivor, SHAPE).await.is_ok(), "its server lives");

    eventually("somebody else serves the key", || async {
        matches!(
            store.begin(KEY, begin_anyway()).await.map(|begun| begun.next),
            Ok(Next::Lead { .. } | Next::Held { .. })
        )
    })
    .await;
    heard(&mut subscription, "that it listens elsewhere").await;
    eventually("an invalidation is heard", || async {
        store.invalidate(KEY).await.unwrap();
        let mut another = store.subscribe(KEY).await.unwrap();
        store.invalidate(KEY).await.unwrap();
        tokio::time::timeout(Duration::from_millis(500), another.changed()).await.is_ok()
    })
    .await;
    heard(&mut subscription, "the change").await;
    let load = lead(&store, KEY).await;
    store.abandon(KEY, load, Mark::Nothing).await.unwrap();
    works(&store, KEY).await;
}

#[tokio::test]
async fn a_primary_that_falls_silent_is_succeeded_and_the_others_serve_on() {
    let cluster = Cluster::start();
    cluster.bear_gaps();
    let store = store(&cluster);
    store.ready().await.unwrap();
    let [silent, other] = [KEYS[0], KEYS[1]];
    works(&store, other).await;
    let paused = &cluster.servers[cluster.primary_of(cluster.slot(silent), 0).unwrap()];
    paused.pause();
    eventually("somebody else serves the key", || async {
        let asked = store.begin(silent, begin_anyway());
        let asked = tokio::time::timeout(Duration::from_millis(250), asked).await;
        // Meanwhile nobody waits for the others.
        let read = tokio::time::timeout(Duration::from_millis(900), store.read(other, SHAPE)).await;
        assert!(matches!(read, Ok(Ok(Some(_)))), "{read:?}");
        matches!(asked, Ok(Ok(_)))
    })
    .await;
    paused.resume();
}

#[tokio::test]
async fn clocks_of_a_cluster_are_one() {
    let cluster = Cluster::start();
    let store = store(&cluster);
    store.ready().await.unwrap();
    let (seconds, micros): (u64, u64) = ask(&cluster.servers[0], &["TIME"]).unwrap();
    let now = store.now().as_micros();
    let server = seconds * 1_000_000 + micros;
    assert!(now.abs_diff(server) < 500_000, "{now} {server}");
    assert!(store.latest() >= store.now());
}

#[tokio::test]
async fn a_server_without_a_cluster_says_so() {
    let server = crate::support::Server::start();
    let store = RedisStore::builder().cluster([server.url()]).build().unwrap();
    let error = store.ready().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}
