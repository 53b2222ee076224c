//! The same slow load under every strategy, and once without herdless.

use std::sync::OnceLock;
use std::time::Duration;

use herdless::testing::{Past, plant};
use herdless::{Error, Kind, Outcome, cached};

use crate::backend::Backend;
use crate::options::{Options, Scenario, Strategy};

/// Long enough for a stale value to be served to all callers of a round.
const GRACE: Duration = Duration::from_secs(60);

static SETUP: OnceLock<Setup> = OnceLock::new();

/// What the functions below read.
struct Setup {
    options: Options,
    backend: Backend,
}

pub(crate) fn set_up(options: Options, backend: Backend) {
    assert!(SETUP.set(Setup { options, backend }).is_ok(), "set up once");
}

fn setup() -> &'static Setup {
    SETUP.get().expect("set up before the first call")
}

fn options() -> &'static Options {
    &setup().options
}

/// The body of all of them. Its value is the number of the load.
async fn load(round: u32) -> Result<u64, String> {
    let loaded = setup().backend.load(round, options().work).await;
    loaded.map_err(|error| error.to_string())
}

#[cached(ttl = options().ttl, lease = options().lease, wait = options().wait, grace = GRACE,
         reason = "lets the scenario stale ask this strategy too")]
async fn lock(round: u32) -> Result<u64, String> {
    load(round).await
}

#[cached(ttl = options().ttl, lease = options().lease, wait = options().wait, grace = GRACE,
         strategy = "xfetch", reason = "lets the scenario stale ask this strategy too")]
async fn xfetch(round: u32) -> Result<u64, String> {
    load(round).await
}

#[cached(ttl = options().ttl, lease = options().lease, wait = options().wait, grace = GRACE,
         strategy = "ahead", reason = "lets the scenario stale ask this strategy too")]
async fn ahead(round: u32) -> Result<u64, String> {
    load(round).await
}

#[cached(ttl = options().ttl, lease = options().lease, wait = options().wait, grace = GRACE,
         strategy = "swr", reason = "serving the stale value is what this strategy is for")]
async fn swr(round: u32) -> Result<u64, String> {
    load(round).await
}

#[cached(ttl = options().ttl, lease = options().lease, wait = options().wait,
         strategy = "jitter", jitter = options().ttl / 10, reason = "shows what no lock costs")]
async fn jitter(round: u32) -> Result<u64, String> {
    load(round).await
}

/// The control: what people write by hand.
async fn naive(round: u32) -> redis::RedisResult<(u64, Kind)> {
    let backend = &setup().backend;
    if let Some(value) = backend.begin_and_read(round).await? {
        return Ok((value, Kind::Hit));
    }
    let value = backend.load(round, options().work).await?;
    backend.write(round, value, options().ttl).await?;
    Ok((value, Kind::Computed))
}

/// How one call was answered. `None` for the control, which knows less.
pub(crate) type Answered = Result<(Kind, Option<Outcome>), String>;

/// One call of the chosen strategy.
pub(crate) async fn call(round: u32) -> Answered {
    let (value, outcome) = match options().strategy {
        Strategy::Lock => lock(round).with_outcome().await,
        Strategy::Xfetch => xfetch(round).with_outcome().await,
        Strategy::Ahead => ahead(round).with_outcome().await,
        Strategy::Swr => swr(round).with_outcome().await,
        Strategy::Jitter => jitter(round).with_outcome().await,
        Strategy::None => {
            let answer = naive(round).await;
            return answer.map(|(_, kind)| (kind, None)).map_err(|error| error.to_string());
        }
    };
    value.map(|_| (outcome.kind, Some(outcome)))
}

/// Stores what the scenario starts from.
pub(crate) async fn plant_scenario(round: u32) -> Result<(), Error> {
    let ttl = options().ttl;
    let five = Duration::from_secs(5);
    let age = match options().scenario {
        Scenario::Cold => return Ok(()),
        Scenario::Early => ttl - five,
        Scenario::Stale => ttl + Duration::from_secs(1),
    };
    let past = Past { age, fresh_for: ttl, cost: Some(five) };
    match options().strategy {
        Strategy::Lock => plant(&lock(round), Ok(0), past).await,
        Strategy::Xfetch => plant(&xfetch(round), Ok(0), past).await,
        Strategy::Ahead => plant(&ahead(round), Ok(0), past).await,
        Strategy::Swr => plant(&swr(round), Ok(0), past).await,
        Strategy::Jitter => plant(&jitter(round), Ok(0), past).await,
        Strategy::None => Ok(()),
    }
}
