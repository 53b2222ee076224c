//! Four processes on a cluster and behind sentinels, while slots move and primaries die.

use std::time::{Duration, Instant};

use crate::control::Worker;
use crate::fleet::{Cluster, Watched, ask, until};
use crate::protocol::{Function, Place, What, Work};
use crate::stage::{GUARD, Stage, eventually, until_in_line};

const PROCESSES: usize = 4;
const FUNCTION: Function = Function::Lock;
/// How long a process keeps a copy of what it loaded while its store is away.
const FALLBACK: Duration = Duration::from_secs(5);

fn on(place: Place) -> Stage {
    Stage::with(|setup| {
        setup.place = place;
        setup.lease = Duration::from_secs(3);
    })
}

fn place_of(watched: &Watched) -> Place {
    Place::Sentinels(Watched::NAME.to_owned(), watched.sentinel_urls())
}

/// Ten callers in each process want each of these at once.
fn are_loaded_once(stage: &mut Stage, workers: &mut [Worker], keys: &[&str]) {
    for key in keys {
        let calls: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                let calls = [(); 10].map(|()| worker.call(FUNCTION, key, Work::held()));
                until_in_line(worker);
                calls
            })
            .collect();
        stage.until_loads(key, 1);
        stage.open_gate(key);
        for (worker, calls) in workers.iter_mut().zip(calls) {
            calls.into_iter().for_each(|call| assert_eq!(worker.answer(call).load, Ok(1)));
        }
        assert_eq!((stage.loads(key), stage.overlap(key)), (1, 1), "{key}");
    }
    let trouble: u64 = workers.iter_mut().map(|worker| worker.count().store_trouble).sum();
    assert_eq!(trouble, 0, "the store has answered throughout");
}

#[test]
fn a_cold_key_is_loaded_once_on_a_cluster() {
    let cluster = Cluster::start();
    let mut stage = on(Place::Cluster(cluster.urls()));
    let mut workers = stage.workers(PROCESSES);
    are_loaded_once(&mut stage, &mut workers, &["one", "two", "three", "four", "five", "six"]);
}

#[test]
fn a_cold_key_is_loaded_once_behind_sentinels() {
    let watched = Watched::start();
    let mut stage = on(place_of(&watched));
    let mut workers = stage.workers(PROCESSES);
    are_loaded_once(&mut stage, &mut workers, &["one", "two", "three"]);
}

/// A call every 5 ms in each process, beside `trouble`; a worker insists on its answers. Returns
/// once all of them have come.
fn under_load(workers: &mut [Worker], time: Duration, trouble: impl FnOnce()) {
    let work = Work { takes: Duration::from_millis(50), ..Work::default() };
    let every = Duration::from_millis(5);
    let reading: Vec<_> = workers
        .iter_mut()
        .map(|worker| {
            let what = What::Calls { function: FUNCTION, key: "row".into(), work, every, time };
            worker.ask(what)
        })
        .collect();
    trouble();
    workers.iter_mut().zip(reading).for_each(|(worker, reading)| worker.done(reading));
}

/// At most one load of each process for each `fallback_ttl` of it that has begun.
fn loads_of_an_outage(outage: Duration) -> u64 {
    let spans = 1 + outage.as_millis() / FALLBACK.as_millis();
    PROCESSES as u64 * u64::try_from(spans).unwrap()
}

/// One value for everybody again, which an invalidation removes.
fn are_of_one_mind(stage: &mut Stage, workers: &mut [Worker]) {
    for worker in workers.iter_mut() {
        eventually("the store is asked again", || !worker.count().degraded);
    }
    let before = stage.loads("row");
    workers[0].invalidate(FUNCTION, "row");
    let work = Work::default();
    for worker in workers.iter_mut() {
        assert_eq!(worker.get(FUNCTION, "row", work).load, Ok(before + 1));
    }
    assert_eq!(stage.loads("row"), before + 1);
}

/// Where the cluster keeps the value: slot and number of its primary.
fn home(cluster: &Cluster) -> (u16, usize) {
    let mut found = None;
    until("the value is stored", || {
        found = (0..3).find_map(|primary| {
            let keys: Vec<String> = ask(&cluster.servers[primary], &["KEYS", "*row*"]).unwrap();
            keys.first().map(|key| (cluster.slot(key), primary))
        });
        found.is_some()
    });
    found.expect("just found")
}

#[test]
fn a_slot_that_moves_under_load_costs_no_value_and_few_loads() {
    let cluster = Cluster::start();
    let mut stage = on(Place::Cluster(cluster.urls()));
    let mut workers = stage.workers(PROCESSES);
    let (mut moves, mut outages, mut at) = (0, 0, 0);
    under_load(&mut workers, Duration::from_secs(5), || {
        let end = Instant::now() + Duration::from_secs(4);
        let (slot, mut from) = home(&cluster);
        while Instant::now() < end {
            at = (from + 1) % 3;
            let begun = Instant::now();
            cluster.move_slot(slot, from, at, || std::thread::sleep(Duration::from_millis(10)));
            // A script waits a tenth of a second for its slot, by the clock of a busy process.
            outages += u64::from(begun.elapsed() > Duration::from_millis(50));
            (from, moves) = (at, moves + 1);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let loads = stage.loads("row");
    let trouble: u64 = workers.iter_mut().map(|worker| worker.count().store_trouble).sum();
    println!("{moves} moves, {outages} of them long: {loads} loads, {trouble} commands failed");
    assert!(moves > 3, "{moves}");
    // A move that takes long is an outage of its key; else the value moves along.
    assert!((1..=1 + PROCESSES as u64 * (1 + outages)).contains(&loads), "{loads}");
    assert_eq!(home(&cluster).1, at);
    are_of_one_mind(&mut stage, &mut workers);
}

#[test]
fn a_herd_on_a_slot_that_is_moving_loads_once_a_process() {
    let cluster = Cluster::start();
    let mut stage = on(Place::Cluster(cluster.urls()));
    let mut workers = stage.workers(PROCESSES);
    workers[0].get(FUNCTION, "row", Work::default());
    let (slot, from) = home(&cluster);
    workers[0].invalidate(FUNCTION, "row");
    let work = Work { takes: Duration::from_millis(300), ..Work::default() };
    let mut steps = 0;
    let mut answered = Vec::new();
    cluster.move_slot(slot, from, (from + 1) % 3, || {
        steps += 1;
        if steps > 1 {
            return;
        }
        // Its keys are here in part, so no script of theirs runs anywhere.
        let calls: Vec<_> = workers
            .iter_mut()
            .map(|worker| [(); 10].map(|()| worker.call(FUNCTION, "row", work)))
            .collect();
        for (worker, calls) in workers.iter_mut().zip(calls) {
            answered.extend(calls.map(|call| worker.answer(call)));
        }
    });
    assert!(answered.iter().all(|answer| answer.load.is_ok()));
    let loads = stage.loads("row") - 1;
    println!("a herd of {} on a moving slot: {loads} loads", answered.len());
    assert!((1..=PROCESSES as u64).contains(&loads), "{loads}");
    are_of_one_mind(&mut stage, &mut workers);
}

#[test]
fn a_primary_of_a_cluster_that_dies_under_load_costs_no_value_and_few_loads() {
    let mut cluster = Cluster::start();
    let mut stage = on(Place::Cluster(cluster.urls()));
    let mut workers = stage.workers(PROCESSES);
    let mut outage = Duration::ZERO;
    under_load(&mut workers, Duration::from_secs(10), || {
        let (slot, dead) = home(&cluster);
        let alive: Vec<_> = (0..6).filter(|&one| one != dead).collect();
        std::thread::sleep(Duration::from_millis(500)); // for the replica, and for some hits
        let died = Instant::now();
        cluster.servers[dead].kill();
        cluster.until_served(slot, |by| by != dead, &alive);
        outage = died.elapsed();
    });
    survived(&mut stage, &mut workers, outage);
}

/// Turned into a replica on purpose; connections stay, and say `MOVED` from then on.
#[test]
fn a_primary_of_a_cluster_that_is_demoted_under_load_costs_no_value_and_few_loads() {
    let cluster = Cluster::start();
    let mut stage = on(Place::Cluster(cluster.urls()));
    let mut workers = stage.workers(PROCESSES);
    let mut outage = Duration::ZERO;
    under_load(&mut workers, Duration::from_secs(6), || {
        let (slot, old) = home(&cluster);
        let successor = (3..6).find(|&one| follows(&cluster, one, old)).expect("it has a replica");
        std::thread::sleep(Duration::from_millis(500)); // for some hits
        let demoted = Instant::now();
        ask::<String>(&cluster.servers[successor], &["CLUSTER", "FAILOVER"]).unwrap();
        cluster.until_served(slot, |by| by == successor, &[0, 1, 2, 3, 4, 5]);
        outage = demoted.elapsed();
    });
    survived(&mut stage, &mut workers, outage);
}

fn follows(cluster: &Cluster, replica: usize, primary: usize) -> bool {
    let role: (String, String, u16, String, i64) =
        ask(&cluster.servers[replica], &["ROLE"]).expect("it is a replica");
    role.2 == cluster.servers[primary].port()
}

#[test]
fn a_primary_behind_sentinels_that_dies_under_load_costs_no_value_and_few_loads() {
    let mut watched = Watched::start();
    let mut stage = on(place_of(&watched));
    let mut workers = stage.workers(PROCESSES);
    let mut outage = Duration::ZERO;
    under_load(&mut workers, Duration::from_secs(10), || {
        std::thread::sleep(Duration::from_millis(500)); // for the replicas, and for some hits
        let died = Instant::now();
        watched.servers[0].kill();
        watched.until_succeeded(0);
        outage = died.elapsed();
    });
    survived(&mut stage, &mut workers, outage);
}

fn survived(stage: &mut Stage, workers: &mut [Worker], outage: Duration) {
    assert!(outage < GUARD);
    let loads = stage.loads("row");
    println!("an outage of {outage:?}: {loads} loads");
    let hits: u64 = workers.iter_mut().map(|worker| worker.count().hits).sum();
    assert!(hits > 100, "{hits}");
    // The first load, and one where the successor has not heard of that. Until a breaker has tried
    // again, the outage goes on for it: a second or so.
    let most = 2 + loads_of_an_outage(outage + Duration::from_secs(2));
    assert!((1..=most).contains(&loads), "{loads} loads in {outage:?}");
    are_of_one_mind(stage, workers);
}
