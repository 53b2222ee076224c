//! The store contract on other servers than the one that is installed.

use crate::again::{fetched, run};
use crate::server::PROGRAM;
use crate::support::TOPOLOGY;
use crate::topologies::{CONTRACT, NOT};

fn contract_on(name: &str) {
    let Some(program) = fetched(name) else { return };
    let (modules, by) = (["heal", "rights", "unscripted"], (PROGRAM, &*program));
    run(&[&CONTRACT[..], &modules].concat(), &[], &[by]);
    for topology in ["sentinel", "cluster"] {
        run(&CONTRACT, &[NOT], &[by, (TOPOLOGY, topology)]);
    }
}

#[test]
fn the_contract_holds_on_valkey_9() {
    contract_on("valkey-9");
}

#[test]
fn the_contract_holds_on_redis_7_4() {
    contract_on("redis-7.4");
}
