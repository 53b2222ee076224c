//! The sentinels of a primary: who it is now.

use std::collections::HashMap;
use std::time::Duration;

use cache_core::{Error, ErrorKind};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use redis::{AsyncConnectionConfig, Client, ConnectionInfo, Value};
use tokio::time::timeout;

use crate::addr::elsewhere;
use crate::error::{misunderstood, translate};
use crate::wire::Wire;

/// How long one of them may take. A connect has to ask and connect within its own deadline.
const PATIENCE: Duration = Duration::from_millis(500);

/// The sentinels that watch over one primary, and how to speak to what they name.
#[derive(Debug)]
pub(crate) struct Sentinels {
    name: String,
    sentinels: Vec<ConnectionInfo>,
    /// Credentials, database and encryption of the servers; the address is filled in.
    server: ConnectionInfo,
}

impl Sentinels {
    pub(crate) fn new(
        name: String,
        sentinels: Vec<ConnectionInfo>,
        server: ConnectionInfo,
    ) -> Self {
        Self { name, sentinels, server }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The primary as most of the sentinels see it, those that answer.
    pub(crate) async fn primary(&self) -> Result<ConnectionInfo, Error> {
        let mut asked: FuturesUnordered<_> =
            self.sentinels.iter().map(|sentinel| self.ask(sentinel)).collect();
        let (mut named, mut failed) = (HashMap::<_, usize>::new(), None);
        while let Some(answer) = asked.next().await {
            match answer {
                Ok(server) => {
                    let votes = named.entry(server).or_default();
                    *votes += 1;
                    if *votes > self.sentinels.len() / 2 {
                        break;
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        match named.into_iter().max_by_key(|(_, votes)| *votes) {
            Some(((host, port), _)) => Ok(elsewhere(&self.server, &host, port)),
            None => Err(failed.unwrap_or_else(|| self.unknown())),
        }
    }

    async fn ask(&self, sentinel: &ConnectionInfo) -> Result<(String, u16), Error> {
        let ask = async {
            let client = Client::open(sentinel.clone()).map_err(translate)?;
            let settings = AsyncConnectionConfig::new();
            let connection = client.get_multiplexed_async_connection_with_config(&settings).await;
            let mut command = redis::cmd("SENTINEL");
            command.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.name);
            let known: Option<(String, u16)> = command
                .query_async(&mut connection.map_err(translate)?)
                .await
                .map_err(translate)?;
            known.ok_or_else(|| self.unknown())
        };
        let silent = || Error::new(ErrorKind::Timeout, "a sentinel has not answered in time");
        timeout(PATIENCE, ask).await.unwrap_or_else(|_| Err(silent()))
    }

    /// Insists that the server is a primary: a sentinel may not have heard of its demotion yet.
    pub(crate) async fn confirm(&self, wire: &Wire) -> Result<(), Error> {
        let role = wire.ask(&redis::cmd("ROLE")).await?.value.map_err(translate)?;
        let Value::Array(parts) = role else { return Err(misunderstood()) };
        match parts.first() {
            Some(Value::BulkString(role)) if role == b"master" => Ok(()),
            _ => Err(Error::new(ErrorKind::Unavailable, "the sentinels named a replica")),
        }
    }

    fn unknown(&self) -> Error {
        let name = &self.name;
        Error::new(ErrorKind::Unavailable, format!("a sentinel knows no primary called {name}"))
    }
}
