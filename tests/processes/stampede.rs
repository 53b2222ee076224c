//! The example `stampede_test` as a test: 8 processes x 50 callers.

use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

const PROTECTED: [&str; 4] = ["lock", "xfetch", "ahead", "swr"];

/// One fleet at a time: two of them share too little machine to say anything about one.
fn alone() -> MutexGuard<'static, ()> {
    static FLEET: Mutex<()> = Mutex::new(());
    FLEET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the example, which `cargo test` has built beside this binary.
fn run(arguments: &str) -> Output {
    let _alone = alone();
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(|deps| deps.parent()).unwrap();
    let example = profile.join("examples/stampede_test");
    assert!(
        example.exists(),
        "{} is not there: run `cargo build --example stampede_test` first (a plain `cargo test` does)",
        example.display()
    );
    let mut command = Command::new(example);
    let command = command.args(arguments.split(' ')).arg("--json");
    command.output().unwrap()
}

fn report(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_slice(&output.stdout);
    report.unwrap_or_else(|_| panic!("no report; {}: {said}", output.status))
}

/// A run that the example itself finds as promised.
fn stampede(arguments: &str) -> Value {
    let output = run(arguments);
    let report = report(&output);
    assert!(output.status.success(), "{arguments}: {report}");
    assert_eq!((&report["errors"], &report["gate_timeouts"]), (&0.into(), &0.into()), "{report}");
    report
}

fn loads(report: &Value) -> Vec<u64> {
    let rounds = report["loads_by_round"].as_array().unwrap();
    rounds.iter().map(|loads| loads.as_u64().unwrap()).collect()
}

#[test]
fn a_cold_key_is_loaded_once_by_400_callers() {
    for strategy in PROTECTED {
        let report = stampede(&format!("--strategy {strategy} --rounds 2"));
        assert_eq!(loads(&report), [1, 1], "{report}");
        assert_eq!(report["max_overlap"], 1, "{report}");
        assert!(report["outcomes"]["joined"].as_u64().unwrap() >= 720, "{report}");
    }
}

#[test]
fn without_the_cache_400_callers_load_400_times() {
    let report = stampede("--strategy none --rounds 1");
    assert_eq!(loads(&report), [400], "{report}");
}

#[test]
fn jitter_loads_once_per_process() {
    let report = stampede("--strategy jitter --rounds 1");
    assert!((1..=8).contains(&loads(&report)[0]), "{report}");
}

#[test]
fn an_early_refresh_runs_once_and_keeps_nobody() {
    for (strategy, expected) in [("xfetch", 1), ("ahead", 1), ("lock", 0), ("swr", 0)] {
        let report = stampede(&format!("--strategy {strategy} --scenario early --rounds 1"));
        assert_eq!(loads(&report), [expected], "{report}");
        assert_eq!(report["waited"], 0, "{report}");
        assert_eq!(report["outcomes"]["hit"], 400, "{report}");
    }
}

#[test]
fn a_stale_value_is_served_to_all_while_one_refresh_runs() {
    for strategy in PROTECTED {
        let report = stampede(&format!("--strategy {strategy} --scenario stale --rounds 1"));
        assert_eq!(loads(&report), [1], "{report}");
        assert_eq!(report["waited"], 0, "{report}");
        assert_eq!(report["outcomes"]["stale"], 400, "{report}");
    }
}

#[test]
fn a_load_longer_than_its_lease_is_kept_by_the_heartbeat() {
    let report = stampede("--callers 10 --rounds 1 --work 8s");
    assert_eq!(loads(&report), [1], "{report}");
    let report = stampede("--callers 10 --rounds 1 --lease 300ms --work 2s");
    assert_eq!(loads(&report), [1], "{report}");
}

#[test]
fn a_load_longer_than_the_wait_is_taken_over_once() {
    let report = report(&run("--callers 10 --rounds 1 --wait 500ms --work 2s"));
    assert!((1..=2).contains(&loads(&report)[0]), "{report}");
    assert_eq!(report["errors"], 0, "{report}");
}
