//! The proof: real processes, a real Redis, hundreds of callers in the same instant, one load.
//!
//! ```text
//! cargo run --release --example stampede_test -- \
//!     --strategy lock --scenario cold --processes 8 --callers 50 --work 100ms --rounds 3
//! ```
//!
//! The parent starts a private `redis-server` (or takes `--redis URL`), runs itself again once
//! per process, and releases all callers of all processes together. Loads are counted at the
//! backend, by counters in Redis that the cache knows nothing of, and held there until every
//! caller has begun its call: who comes late cannot pass as a hit. `--strategy none` is the same
//! crowd without the cache, for comparison.
//!
//! Exits with 1 unless each round loaded as often as the strategy promises, with 2 for a command
//! line it does not understand.

mod worker;
mod run;
mod progress;
mod report;
mod fleet;
mod loaders;
mod backend;
mod options;
#[path = "../../tests/support/server.rs"]
mod server;

use std::process::ExitCode;

use options::{Options, USAGE};

/// What a worker is told beside the command line: where Redis is, and the name of the run.
const REDIS: &str = "STAMPEDE_TEST_REDIS";
const RUN: &str = "STAMPEDE_TEST_RUN";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.peek().is_some_and(|first| first == "--help" || first == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2) // a fleet of them shares this machine
        .enable_all()
        .build()
        .expect("a runtime can be built");
    match (std::env::var(REDIS), std::env::var(RUN)) {
        (Ok(redis), Ok(run)) => runtime.block_on(worker::work(options, &redis, &run)),
        _ => runtime.block_on(supervise(options)),
    }
}

/// The parent's life. Whatever ends it, its children and its server are gone afterwards.
async fn supervise(options: Options) -> ExitCode {
    let server = options.redis.is_none().then(server::Server::start);
    let redis = server.as_ref().map(server::Server::url).or(options.redis.clone());
    let redis = redis.expect("given or started");
    let ended = tokio::select! {
        ended = run::run(&options, &redis) => ended,
        _ = tokio::signal::ctrl_c() => Err("interrupted".to_owned()),
    };
    match ended {
        Ok(report) => {
            if options.json {
                println!("{}", report.json());
            } else {
                print!("{report}");
            }
            if report.is_as_promised() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("stampede_test: {problem}");
            ExitCode::FAILURE
        }
    }
}
