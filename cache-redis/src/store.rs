//! [`RedisStore`]: the store's questions as Redis commands, the replies as its answers.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use cache_core::store::{
    Begin, Begun, Committed, Generation, Load, Mark, Replacement, Reply, Shape, Store, Subscription,
};
use cache_core::{Error, ErrorKind, Timestamp};
use redis::aio::MultiplexedConnection;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{Client, IntoConnectionInfo, Value};

use crate::connect::Link;
use crate::error::{misunderstood, translate};
use crate::reply::{begun, committed, done, millis, reply, written};
use crate::scripts::{ABANDON, BEGIN, COMMIT, INVALIDATE, PRIME, RENEW, REPLACE, channel};
use crate::wake::Wakes;
use crate::wire::Answer;

/// Redis as the shared level. Cheap to clone; the clones share one connection.
///
/// The connection belongs to the tokio runtime on which it was made. When that runtime ends, the
/// next command connects again on its own.
#[derive(Clone)]
pub struct RedisStore(Arc<Inner>);

struct Inner {
    link: Link,
    /// Absent over a given connection.
    wakes: Option<Wakes>,
}

impl RedisStore {
    /// A store on this server. Only the URL is checked here: connecting begins at once where
    /// there is a tokio runtime, else with the first command, and heals by itself for ever.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`] for a URL the driver does not understand.
    pub fn connect(url: impl IntoConnectionInfo) -> Result<Self, Error> {
        let client = url.into_connection_info().and_then(|info| {
            let tcp = info.tcp_settings().clone().set_nodelay(true);
            // For a host that is gone without a word, which only a listener would not notice.
            let probe = Duration::from_secs(15);
            let keepalive = tcp.keepalive().cloned();
            let keepalive = keepalive.unwrap_or_else(|| TcpKeepalive::new().with_time(probe));
            Client::open(info.set_tcp_settings(tcp.set_keepalive(keepalive)))
        });
        let client = client.map_err(|error| {
            // The driver's details quote the URL, and nobody knows where in it a secret stands.
            let quoted = error.detail().is_some();
            let why = if quoted { error.category().to_owned() } else { error.to_string() };
            Error::new(
                ErrorKind::Config,
                format!("the Redis URL is not usable ({why}): write `redis://host:port`"),
            )
        })?;
        let wakes = Some(Wakes::new(client.clone()));
        Ok(Self(Arc::new(Inner { link: Link::to(client), wakes })))
    }

    /// A store over a connection made elsewhere. It is used as it is, also when it breaks, and
    /// cannot listen: [`subscribe`](Store::subscribe) answers [`ErrorKind::Unavailable`] and
    /// waiting calls poll by their timers.
    #[must_use]
    pub fn from_connection(connection: MultiplexedConnection) -> Self {
        Self(Arc::new(Inner { link: Link::over(connection), wakes: None }))
    }

    /// Insists on a connection now.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn ready(&self) -> Result<(), Error> {
        self.0.link.ready().await
    }

    /// Takes the server's time from a reply that carries it.
    fn learn(&self, time: &Value, sent: &Answer) -> Result<Timestamp, Error> {
        let Value::BulkString(digits) = time else { return Err(misunderstood()) };
        let micros = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        let time = Timestamp::from_micros(micros.ok_or_else(misunderstood)?);
        self.0.link.clock().learn(time, sent.sent, sent.received);
        Ok(time)
    }

    /// The parts of an array reply; the first one is the server's time.
    fn timed(&self, mut answer: Answer) -> Result<(Timestamp, Vec<Value>), Error> {
        let value = mem::replace(&mut answer.value, Ok(Value::Nil)).map_err(translate)?;
        let Value::Array(mut parts) = value else { return Err(misunderstood()) };
        let time = self.learn(parts.first().ok_or_else(misunderstood)?, &answer)?;
        parts.remove(0);
        Ok((time, parts))
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("address", &self.0.link.address()).finish()
    }
}

impl Store for RedisStore {
    fn now(&self) -> Timestamp {
        self.0.link.clock().now()
    }

    fn latest(&self) -> Timestamp {
        self.0.link.clock().latest()
    }

    fn read<'a>(&'a self, key: &'a str, shape: Shape) -> Reply<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let mut command = redis::cmd("HGET");
            command.arg(key).arg(shape.to_string());
            reply(self.0.link.ask(&command).await?)
        })
    }

    fn read_all<'a>(&'a self, key: &'a str) -> Reply<'a, Vec<(Vec<u8>, Vec<u8>)>> {
        Box::pin(async move {
            let mut command = redis::cmd("HGETALL");
            command.arg(key);
            reply(self.0.link.ask(&command).await?)
        })
    }

    fn begin<'a>(&'a self, key: &'a str, begin: Begin) -> Reply<'a, Begun> {
        Box::pin(async move {
            let over = begin.over.map(|token| token.to_string()).unwrap_or_default();
            let answer = BEGIN.run(&self.0.link, key, |command| {
                command
                    .arg(begin.shape.to_string())
                    .arg(begin.after.as_micros())
                    .arg(begin.token.to_string())
                    .arg(millis(begin.lease))
                    .arg(u8::from(begin.exclusive))
                    .arg(&over)
                    .arg(if begin.last_resort { 2 } else { u8::from(begin.refresh) });
            });
            let (time, parts) = self.timed(answer.await?)?;
            begun(time, parts).ok_or_else(misunderstood)
        })
    }

    fn renew<'a>(&'a self, key: &'a str, load: Load, lease: Duration) -> Reply<'a, bool> {
        Box::pin(async move {
            let answer = RENEW.run(&self.0.link, key, |command| {
                command
                    .arg(load.token.to_string())
                    .arg(written(&load.generation))
                    .arg(millis(lease))
                    .arg(u8::from(load.leased));
            });
            reply(answer.await?)
        })
    }

    fn commit<'a>(
        &'a self,
        key: &'a str,
        load: Load,
        shape: Shape,
        entry: &'a [u8],
    ) -> Reply<'a, Committed> {
        Box::pin(async move {
            let answer = COMMIT.run(&self.0.link, key, |command| {
                command
                    .arg(shape.to_string())
                    .arg(load.token.to_string())
                    .arg(written(&load.generation))
                    .arg(load.begun.as_micros())
                    .arg(entry);
            });
            let (_, parts) = self.timed(answer.await?)?;
            committed(&parts).ok_or_else(misunderstood)
        })
    }

    fn abandon<'a>(&'a self, key: &'a str, load: Load, mark: Mark) -> Reply<'a, bool> {
        Box::pin(async move {
            let (kind, first, most) = match mark {
                Mark::Failed { first, most } => ("f", first, most),
                Mark::Unstored(stands) => ("u", stands, stands),
                Mark::Nothing => ("n", Duration::ZERO, Duration::ZERO),
            };
            let answer = ABANDON.run(&self.0.link, key, |command| {
                command
                    .arg(load.token.to_string())
                    .arg(written(&load.generation))
                    .arg(kind)
                    .arg(millis(first))
                    .arg(millis(most))
                    .arg(load.begun.as_micros());
            });
            reply(answer.await?)
        })
    }

    fn invalidate<'a>(&'a self, key: &'a str) -> Reply<'a, ()> {
        Box::pin(async move {
            let fresh = Generation::fresh();
            let answer = INVALIDATE.run(&self.0.link, key, |command| {
                command.arg(&fresh.0);
            });
            done(answer.await?)
        })
    }

    fn prime<'a>(&'a self, key: &'a str, shape: Shape, entry: &'a [u8]) -> Reply<'a, ()> {
        Box::pin(async move {
            let fresh = Generation::fresh();
            let answer = PRIME.run(&self.0.link, key, |command| {
                command.arg(&fresh.0).arg(shape.to_string()).arg(entry);
            });
            done(answer.await?)
        })
    }

    fn replace<'a>(&'a self, key: &'a str, fields: &'a [Replacement]) -> Reply<'a, bool> {
        Box::pin(async move {
            let fresh = Generation::fresh();
            let answer = REPLACE.run(&self.0.link, key, |command| {
                command.arg(&fresh.0);
                for field in fields {
                    command.arg(&field.field).arg(&field.old).arg(&field.new);
                }
            });
            reply(answer.await?)
        })
    }

    fn subscribe<'a>(&'a self, key: &'a str) -> Reply<'a, Subscription> {
        Box::pin(async move {
            let Some(wakes) = &self.0.wakes else { return Err(deaf()) };
            // A link that is down says so at once; a listener would find out for itself.
            self.0.link.wire().await?;
            wakes.subscribe(&channel(key)).await
        })
    }
}

fn deaf() -> Error {
    Error::new(ErrorKind::Unavailable, "a given connection cannot listen for wake-ups")
}
