//! Early refreshes under steady load: no version of the entry is replaced twice.

use std::collections::HashSet;
use std::time::Duration;

use crate::protocol::{Function, What, Work};
use crate::stage::Stage;

const LIFE: Duration = Duration::from_secs(1);
const TIME: Duration = Duration::from_secs(6);

/// Four processes, a thousand reads a second in all.
fn refreshes_each_version_once(function: Function) {
    let mut stage = Stage::with(|setup| {
        setup.ttl = LIFE;
        setup.lease = Duration::from_secs(3);
    });
    // Early enough: a busy machine must not let the value end before it is refreshed.
    let work = Work { takes: Duration::from_millis(50), notes_version: true, ..Work::default() };
    let mut workers = stage.workers(4);
    let every = Duration::from_millis(4);
    let reading: Vec<_> = workers
        .iter_mut()
        .map(|worker| {
            worker.ask(What::Calls { function, key: "row".into(), work, every, time: TIME })
        })
        .collect();
    workers.iter_mut().zip(reading).for_each(|(worker, reading)| worker.done(reading));

    let versions = stage.versions("row");
    let refreshed: Vec<_> = versions.iter().filter(|version| *version != "none").collect();
    let distinct: HashSet<_> = refreshed.iter().collect();
    assert_eq!(distinct.len(), refreshed.len(), "a version was loaded twice: {versions:?}");
    assert!(refreshed.len() > versions.len() / 2, "the value was let end: {versions:?}");
    let lives = TIME.as_millis() / LIFE.as_millis();
    // Five times generous to a slow machine; a herd would load far more often than twice a life.
    assert!(
        (lives / 5..=lives * 2).contains(&(versions.len() as u128)),
        "{} loads in {lives} lives",
        versions.len()
    );
    let hits: u64 = workers.iter_mut().map(|worker| worker.count().hits).sum();
    assert!(hits > 1200, "{hits} hits of 6000 reads");
}

#[test]
fn xfetch_refreshes_each_version_once() {
    refreshes_each_version_once(Function::Xfetch);
}

#[test]
fn ahead_refreshes_each_version_once() {
    refreshes_each_version_once(Function::Ahead);
}
