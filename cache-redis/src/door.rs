//! The way to a server: a fixed address, or whatever the sentinels say.

use std::sync::Arc;
use std::time::Duration;

use cache_core::{Error, ErrorKind};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionInfo, ProtocolVersion, PushInfo};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::timeout;

use crate::addr::elsewhere;
use crate::clock::ServerClock;
use crate::error::{translate, unavailable};
use crate::sentinel::Sentinels;
use crate::wire::Wire;

/// How long connecting may take, handshakes and the first answer included.
pub(crate) const CONNECT: Duration = Duration::from_secs(1);

/// How a server is reached.
#[derive(Debug, Clone)]
pub(crate) struct Door {
    way: Way,
    timeout: Duration,
}

#[derive(Debug, Clone)]
enum Way {
    Fixed(Arc<ConnectionInfo>),
    Sentinel(Arc<Sentinels>),
}

impl Door {
    pub(crate) fn fixed(info: ConnectionInfo, timeout: Duration) -> Self {
        Self { way: Way::Fixed(Arc::new(info)), timeout }
    }

    pub(crate) fn sentinel(sentinels: Sentinels, timeout: Duration) -> Self {
        Self { way: Way::Sentinel(Arc::new(sentinels)), timeout }
    }

    /// The same kind of door at another address.
    pub(crate) fn at(&self, host: &str, port: u16) -> Self {
        match &self.way {
            Way::Fixed(info) => Self::fixed(elsewhere(info, host, port), self.timeout),
            Way::Sentinel(_) => self.clone(),
        }
    }

    /// What to call the server in messages.
    pub(crate) fn address(&self) -> String {
        match &self.way {
            Way::Fixed(info) => info.addr().to_string(),
            Way::Sentinel(sentinels) => format!("the primary of {}", sentinels.name()),
        }
    }

    /// Whether behind the door there may be another server next time.
    pub(crate) fn is_variable(&self) -> bool {
        matches!(self.way, Way::Sentinel(_))
    }

    /// A connection for commands, which has been greeted by `greet`.
    pub(crate) async fn open<G: Future<Output = Result<(), Error>>>(
        &self,
        clock: &Arc<ServerClock>,
        greet: impl FnOnce(Wire) -> G,
    ) -> Result<Wire, Error> {
        let open = async {
            let connection = connect(self.find().await?, settings()).await?;
            let wire = Wire::replaceable(connection, clock.clone());
            if let Way::Sentinel(sentinels) = &self.way {
                sentinels.confirm(&wire).await?;
            }
            greet(wire.clone()).await?;
            Ok(wire)
        };
        self.in_time(open).await
    }

    /// A connection that hears what is published.
    pub(crate) async fn listen(
        &self,
        ear: UnboundedSender<PushInfo>,
    ) -> Result<MultiplexedConnection, Error> {
        let open = async {
            let info = self.find().await?;
            // Only the newer protocol tells messages from replies.
            let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
            connect(info.set_redis_settings(redis), settings().set_push_sender(ear)).await
        };
        self.in_time(open).await
    }

    async fn find(&self) -> Result<ConnectionInfo, Error> {
        match &self.way {
            Way::Fixed(info) => Ok(ConnectionInfo::clone(info)),
            Way::Sentinel(sentinels) => sentinels.primary().await,
        }
    }

    async fn in_time<T>(&self, open: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        timeout(self.timeout, open)
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "connecting took too long")))
            .map_err(|error| unavailable(&self.address(), error))
    }
}

/// The deadlines are ours.
fn settings() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None)
}

async fn connect(
    info: ConnectionInfo,
    settings: AsyncConnectionConfig,
) -> Result<MultiplexedConnection, Error> {
    let client = Client::open(info).map_err(translate)?;
    client.get_multiplexed_async_connection_with_config(&settings).await.map_err(translate)
}
