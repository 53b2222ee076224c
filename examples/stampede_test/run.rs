//! The parent: plants what a round starts from, lets the crowd go, reads the counters.

use std::time::Duration;

use tokio::time::timeout;

use crate::backend::Backend;
use crate::fleet::Fleet;
use crate::options::Options;
use crate::report::{Report, Round};
use crate::{loaders, progress, worker};

/// What a round may take beyond its work: a worker that needs longer hangs.
const GUARD: Duration = Duration::from_secs(60);

pub(crate) async fn run(options: &Options, redis: &str) -> Result<Report, String> {
    let run = format!("{:x}", std::process::id() as u128 ^ now_nanos());
    let backend = Backend::connect(redis, &run).await.map_err(|error| error.to_string())?;
    worker::install(redis, &run).await.map_err(|error| error.to_string())?;
    loaders::set_up(options.clone(), backend.clone());
    let mut fleet =
        Fleet::launch(options, redis, &run).map_err(|error| format!("no workers: {error}"))?;
    let mut rounds = Vec::new();
    for round in 1..=options.rounds {
        let ended = tokio::select! {
            ended = timeout(options.work + GUARD, stampede(options, &backend, &mut fleet, round)) => ended,
            () = progress::draw(options, &backend, round) => unreachable!("it draws for ever"),
        };
        progress::clear();
        rounds.push(ended.map_err(|_| format!("round {round} hangs"))??);
    }
    Ok(Report::new(options.clone(), rounds))
}

async fn stampede(
    options: &Options,
    backend: &Backend,
    fleet: &mut Fleet,
    round: u32,
) -> Result<Round, String> {
    loaders::plant_scenario(round).await.map_err(|error| error.to_string())?;
    // Together, so that a worker that dies before it arrives is noticed at once.
    let released = async {
        let released = backend.release(round, options.processes).await;
        released.map_err(|error| error.to_string())
    };
    let ((), answers) = tokio::try_join!(released, fleet.answers(options.processes))?;
    let counted = backend.counted(round).await.map_err(|error| error.to_string())?;
    Ok((answers, counted))
}

/// Tells runs on one server apart.
fn now_nanos() -> u128 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
    since.map_or(0, |since| since.as_nanos())
}
