//! What the compiler says to mistakes in an attribute, and what it must not object to.

use std::io::Write as _;
use std::process::Command;

/// The messages in `tests/ui/fail/*.stderr` are this compiler's. Another one words and draws them
/// differently, which says nothing about the macro.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    let compiler = compiler();
    if compiler.starts_with(COMPILER) {
        return cases.compile_fail("tests/ui/fail/*.rs");
    }
    let skipped = format!(
        "tests/ui/fail was SKIPPED: its messages are those of {COMPILER}x, and this is {compiler}"
    );
    let required = std::env::var_os("HERDLESS_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(!required, "{skipped}");
    // Past the test harness, which keeps what a passing test prints.
    writeln!(std::io::stderr(), "{skipped}").unwrap();
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
