//! The cached functions of a worker.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use herdless::cached;
use redis::aio::MultiplexedConnection;
use serde::{Deserialize, Serialize};

use crate::backend;
use crate::protocol::{Answer, Function, Setup, Work};

type AnyError = Box<dyn Error + Send + Sync>;

static SETUP: OnceLock<(Setup, MultiplexedConnection)> = OnceLock::new();

pub(crate) fn set_up(setup: Setup, redis: MultiplexedConnection) {
    assert!(SETUP.set((setup, redis)).is_ok(), "set up once");
}

fn setup() -> &'static Setup {
    &SETUP.get().expect("set up before the first call").0
}

/// What a load brings: its number, and weight where the test wants some.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Loaded {
    number: u64,
    weight: String,
}

#[cached(ttl = setup().ttl, lease = setup().lease, wait = setup().wait, skip(work))]
async fn lock(key: String, work: Work) -> Result<Loaded, String> {
    load(Function::Lock, &key, work).await
}

#[cached(ttl = setup().ttl, lease = setup().lease, wait = setup().wait, skip(work), strategy = "xfetch")]
async fn xfetch(key: String, work: Work) -> Result<Loaded, String> {
    load(Function::Xfetch, &key, work).await
}

#[cached(ttl = setup().ttl, lease = setup().lease, wait = setup().wait, skip(work), strategy = "ahead")]
async fn ahead(key: String, work: Work) -> Result<Loaded, String> {
    load(Function::Ahead, &key, work).await
}

#[cached(ttl = setup().ttl, lease = setup().lease, wait = setup().wait, skip(work), strategy = "swr",
         grace = setup().ttl, reason = "what the strategy is for")]
async fn swr(key: String, work: Work) -> Result<Loaded, String> {
    load(Function::Swr, &key, work).await
}

#[cached(ttl = setup().ttl, lease = setup().lease, wait = setup().wait, skip(work), strategy = "jitter",
         jitter = setup().ttl / 10, reason = "the strategy without a lease")]
async fn jitter(key: String, work: Work) -> Result<Loaded, String> {
    load(Function::Jitter, &key, work).await
}

#[cached(ttl = setup().ttl, lease = setup().lease, wait = setup().wait, skip(work), share_errors = true)]
async fn sharing_errors(key: String, work: Work) -> Result<Loaded, AnyError> {
    Ok(load(Function::SharingErrors, &key, work).await?)
}

async fn load(function: Function, key: &str, work: Work) -> Result<Loaded, String> {
    let mut redis = SETUP.get().expect("set up").1.clone();
    let load = backend::begin(&mut redis, key).await;
    let number = load.number;
    if work.notes_version {
        backend::note_version(&mut redis, key, peek(function, key.to_owned()).await).await;
    }
    if work.first_is_held && number == 1 {
        backend::pass_gate(&mut redis, key).await;
    }
    std::thread::sleep(work.blocks);
    tokio::time::sleep(work.takes).await;
    backend::end(&mut redis, key, load).await;
    if work.fails {
        Err(format!("load {number} failed"))
    } else {
        Ok(Loaded { number, weight: "x".repeat(work.size) })
    }
}

/// Does `$then` with a call of the named function.
macro_rules! with_call {
    ($function:expr, $key:expr, $work:expr, |$call:ident| $then:expr) => {
        match $function {
            Function::Lock => {
                let $call = lock($key, $work);
                $then
            }
            Function::Xfetch => {
                let $call = xfetch($key, $work);
                $then
            }
            Function::Ahead => {
                let $call = ahead($key, $work);
                $then
            }
            Function::Swr => {
                let $call = swr($key, $work);
                $then
            }
            Function::Jitter => {
                let $call = jitter($key, $work);
                $then
            }
            Function::SharingErrors => {
                let $call = sharing_errors($key, $work);
                $then
            }
        }
    };
}

pub(crate) async fn call(function: Function, key: String, work: Work) -> Answer {
    with_call!(function, key, work, |call| {
        let (loaded, outcome) = call.with_outcome().await;
        let load = loaded.map(|loaded| loaded.number).map_err(|error| with_sources(&error));
        Answer { load, kind: format!("{:?}", outcome.kind) }
    })
}

/// Boxed, since loads look at their own key: a type cannot contain itself.
pub(crate) fn peek(
    function: Function,
    key: String,
) -> Pin<Box<dyn Future<Output = Option<u64>> + Send>> {
    Box::pin(async move {
        let peeked = with_call!(function, key, Work::default(), |call| call.peek().await);
        peeked.unwrap().map(|loaded| loaded.number)
    })
}

pub(crate) async fn invalidate(function: Function, key: String) {
    with_call!(function, key, Work::default(), |call| call.invalidate().await).unwrap();
}

/// The text of an error and of what caused it.
trait Text {
    fn text(&self) -> String;
}

impl Text for String {
    fn text(&self) -> String {
        self.clone()
    }
}

impl Text for AnyError {
    fn text(&self) -> String {
        let causes = std::iter::successors(self.source(), |error| (*error).source());
        causes.fold(self.to_string(), |text, cause| format!("{text}: {cause}"))
    }
}

fn with_sources(error: &impl Text) -> String {
    error.text()
}
