//! Runs tests of this binary once more, under other circumstances.

#![allow(dead_code, reason = "shared by several binaries, none of which uses all of it")]
#![allow(unreachable_pub, reason = "shared: some binaries have this at their root")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Set where nothing may be skipped.
const REQUIRE_ALL: &str = "HERDLESS_REQUIRE_ALL";

/// Runs those of these modules in a process of its own, one after the other, with these variables.
pub fn run(modules: &[&str], without: &[&str], variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().expect("this is a program"));
    command.args(modules.iter().map(|module| format!("{module}::")));
    command.args(without.iter().flat_map(|test| ["--skip", test]));
    let command = command.args(["--test-threads", "1"]).envs(variables.iter().copied());
    let output = command.output().expect("it runs again");
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "under {variables:?}:\n{said}\n{failed}");
    assert!(!said.contains("running 0 tests"), "nothing was run of {modules:?}");
}

/// The server's program that `tests/servers` has fetched. Where there is none, its absence is told
/// on standard error, or fatal under `HERDLESS_REQUIRE_ALL`.
pub fn fetched(name: &str) -> Option<String> {
    let servers = servers();
    let program = servers.as_ref().map(|servers| servers.join(name));
    if let Some(program) = program.filter(|program| program.exists()) {
        return Some(program.to_str().expect("a plain path").to_owned());
    }
    let why = servers.and_then(|dir| fs::read_to_string(dir.join(format!("{name}.missing"))).ok());
    let why = why.unwrap_or_else(|| "not fetched: run `bash tests/servers`".to_owned());
    let message = format!("SKIPPED on {name}: {}", why.trim());
    assert!(std::env::var_os(REQUIRE_ALL).is_none(), "{message}");
    // Past the test harness, which would keep what a passing test prints.
    let _ = writeln!(std::io::stderr(), "{message}");
    None
}

/// Beside what cargo builds: this program lies somewhere below `target`.
fn servers() -> Option<PathBuf> {
    let program = std::env::current_exe().expect("this is a program");
    program.ancestors().map(|dir| dir.join("servers")).find(|dir| dir.is_dir())
}
