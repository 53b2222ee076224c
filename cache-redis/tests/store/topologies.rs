//! The store contract wherever Redis may be: the other tests, run again.

use crate::again::run;
use crate::support::TOPOLOGY;

/// What holds on every topology.
pub(crate) const CONTRACT: [&str; 7] =
    ["clock", "commit", "lease", "marker", "replace", "scan", "wake"];
/// Connects by itself.
pub(crate) const NOT: &str = "the_newer_protocol";

fn contract_on(topology: &str) {
    run(&CONTRACT, &[NOT], &[(TOPOLOGY, topology)]);
}

#[test]
fn the_contract_holds_over_a_unix_socket() {
    contract_on("unix");
}

#[test]
fn the_contract_holds_over_tls() {
    contract_on("tls");
}

#[test]
fn the_contract_holds_behind_sentinels() {
    contract_on("sentinel");
}

#[test]
fn the_contract_holds_on_a_cluster() {
    contract_on("cluster");
}

/// What scripts are for, or a test itself needs. What holds instead is in `unscripted`.
const BY_SCRIPT: [&str; 3] = [
    "one_of_eight_takes_over",
    "a_lease_that_cannot_lapse_holds_nobody_up",
    "a_commit_outlives_a_script_flush",
];

#[test]
fn the_contract_holds_without_scripts_but_for_what_they_are_for() {
    run(&CONTRACT, &BY_SCRIPT, &[(TOPOLOGY, "unscripted")]);
}
