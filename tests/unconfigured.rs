//! The first use of the built-in cache says once that values stay in the process, except to a
//! test. Told apart by where the program stands, so this runs copies of itself elsewhere.

#[path = "support/log.rs"]
mod log;

use std::path::Path;
use std::process::Command;

use herdless::cached;
use tracing::level_filters::LevelFilter;

use log::Log;

#[cached(ttl = 60)]
async fn shared(id: u32) -> u32 {
    id
}

#[cached(ttl = 60, scope = "process")]
async fn local(id: u32) -> u32 {
    id
}

const CHILD: &str = "HERDLESS_UNCONFIGURED";

/// In a child: calls what it is told to and prints what is logged. Alone it has nothing to do.
#[tokio::test]
async fn child() {
    let Ok(calls) = std::env::var(CHILD) else { return };
    let log = Log::of(LevelFilter::WARN);
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    for call in calls.split(',') {
        match call {
            "local" => assert_eq!(local(1).await, 1),
            _ => assert_eq!(shared(1).await, 1),
        }
    }
    log.lines().iter().for_each(|line| println!("WARNING {line}"));
}

/// The warnings of a program that makes these calls, run from a directory of this name. The
/// program is linked there: a copy is still open for writing in a child that another test forks
/// meanwhile, and cannot be run until that child is ("text file busy").
fn warnings(directory: &str, calls: &str) -> Vec<String> {
    let home = format!("unconfigured-{}-{directory}-{calls}", std::process::id());
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(home).join(directory);
    std::fs::create_dir_all(&home).unwrap();
    let program = home.join("program");
    std::fs::hard_link(std::env::current_exe().unwrap(), &program).unwrap();
    let run =
        Command::new(&program).args(["--exact", "child", "--nocapture"]).env(CHILD, calls).output();
    std::fs::remove_dir_all(home.parent().unwrap()).unwrap();
    let run = run.unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{printed}");
    printed.lines().filter(|line| line.contains("WARNING")).map(str::to_owned).collect()
}

#[test]
fn the_first_use_of_the_default_warns_once_and_says_what_to_do() {
    let warnings = warnings("bin", "shared,shared");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for word in ["shared", "herdless::install", "scope"] {
        assert!(warnings[0].contains(word), "{word} is missing: {warnings:?}");
    }
}

#[test]
fn a_value_meant_for_the_process_warns_nobody() {
    assert_eq!(warnings("bin", "local"), Vec::<String>::new());
}

#[test]
fn a_test_is_not_warned() {
    assert_eq!(warnings("deps", "shared"), Vec::<String>::new());
}
