//! [`RedisStore`]: the store's questions as Redis commands, the replies as its answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cache_core::store::{
    Begin, Begun, Committed, Cursor, Generation, Load, Mark, Replacement, Reply, Scan, Scanned,
    Shape, Store, Subscription,
};
use cache_core::{Error, Timestamp};
use redis::Cmd;
use redis::aio::MultiplexedConnection;

use crate::error::misunderstood;
use crate::reply::{begun, committed, done, millis, reply, timed, written};
use crate::scan;
use crate::scripting::Scripting;
use crate::scripts::{ABANDON, BEGIN, COMMIT, INVALIDATE, PRIME, RENEW, REPLACE, Script, channel};
use crate::topology::Topology;
use crate::unscripted::{self, Keys};
use crate::wire::Answer;

/// Redis as the shared level. Cheap to clone; the clones share one connection.
///
/// The connection belongs to the tokio runtime on which it was made. When that runtime ends, the
/// next command connects again on its own.
#[derive(Clone)]
pub struct RedisStore(Arc<Redis>);

struct Redis {
    topology: Topology,
    scripting: Scripting,
}

impl Redis {
    /// Runs a script on the keys of one value. `None`: the account may not.
    async fn script(
        &self,
        script: &Script,
        key: &str,
        arguments: impl Fn(&mut Cmd) + Send + Sync,
    ) -> Result<Option<Answer>, Error> {
        script.run(&self.topology, &self.scripting, key, arguments).await
    }

    fn plainly<'a>(&'a self, key: &'a str) -> Keys<'a> {
        Keys::of(&self.topology, key)
    }
}

impl RedisStore {
    pub(crate) fn on(topology: Topology) -> Self {
        Self(Arc::new(Redis { topology, scripting: Scripting::default() }))
    }

    /// A store over a connection made elsewhere. It is used as it is, also when it breaks, and
    /// cannot listen: [`subscribe`](Store::subscribe) answers
    /// [`ErrorKind::Unavailable`](cache_core::ErrorKind::Unavailable) and
    /// waiting calls poll by their timers.
    #[must_use]
    pub fn from_connection(connection: MultiplexedConnection) -> Self {
        Self::on(Topology::given(connection))
    }

    /// Insists on a connection now.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn ready(&self) -> Result<(), Error> {
        self.0.topology.ready().await
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("address", &self.0.topology.name()).finish()
    }
}

impl Store for RedisStore {
    fn now(&self) -> Timestamp {
        self.0.topology.clock().now()
    }

    fn latest(&self) -> Timestamp {
        self.0.topology.clock().latest()
    }

    fn lane(&self, key: &str) -> usize {
        self.0.topology.lane(key)
    }

    fn read<'a>(&'a self, key: &'a str, shape: Shape) -> Reply<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let mut command = redis::cmd("HGET");
            command.arg(key).arg(shape.to_string());
            reply(self.0.topology.ask(key, &command).await?)
        })
    }

    fn read_all<'a>(&'a self, key: &'a str) -> Reply<'a, Vec<(Vec<u8>, Vec<u8>)>> {
        Box::pin(async move {
            let mut command = redis::cmd("HGETALL");
            command.arg(key);
            reply(self.0.topology.ask(key, &command).await?)
        })
    }

    fn begin<'a>(&'a self, key: &'a str, begin: Begin) -> Reply<'a, Begun> {
        Box::pin(async move {
            let over = begin.over.map(|token| token.to_string()).unwrap_or_default();
            let answer = self.0.script(&BEGIN, key, |command| {
                command
                    .arg(begin.shape.to_string())
                    .arg(begin.after.as_micros())
                    .arg(begin.token.to_string())
                    .arg(millis(begin.lease))
                    .arg(u8::from(begin.exclusive))
                    .arg(&over)
                    .arg(if begin.last_resort { 2 } else { u8::from(begin.refresh) });
            });
            let Some(answer) = answer.await? else {
                return unscripted::begin(self.0.plainly(key), begin).await;
            };
            let (time, parts) = timed(answer)?;
            begun(time, parts).ok_or_else(misunderstood)
        })
    }

    fn renew<'a>(&'a self, key: &'a str, load: Load, lease: Duration) -> Reply<'a, bool> {
        Box::pin(async move {
            let answer = self.0.script(&RENEW, key, |command| {
                command
                    .arg(load.token.to_string())
                    .arg(written(&load.generation))
                    .arg(millis(lease))
                    .arg(u8::from(load.leased));
            });
            let Some(answer) = answer.await? else {
                return unscripted::renew(self.0.plainly(key), load, lease).await;
            };
            reply(answer)
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
            let answer = self.0.script(&COMMIT, key, |command| {
                command
                    .arg(shape.to_string())
                    .arg(load.token.to_string())
                    .arg(written(&load.generation))
                    .arg(load.begun.as_micros())
                    .arg(entry);
            });
            let Some(answer) = answer.await? else {
                return unscripted::commit(self.0.plainly(key), load, shape, entry).await;
            };
            let (_, parts) = timed(answer)?;
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
            let answer = self.0.script(&ABANDON, key, |command| {
                command
                    .arg(load.token.to_string())
                    .arg(written(&load.generation))
                    .arg(kind)
                    .arg(millis(first))
                    .arg(millis(most))
                    .arg(load.begun.as_micros());
            });
            let Some(answer) = answer.await? else {
                return unscripted::abandon(self.0.plainly(key), load, mark).await;
            };
            reply(answer)
        })
    }

    fn invalidate<'a>(&'a self, key: &'a str) -> Reply<'a, ()> {
        Box::pin(async move {
            let fresh = Generation::fresh();
            let answer = self.0.script(&INVALIDATE, key, |command| {
                command.arg(&fresh.0);
            });
            let Some(answer) = answer.await? else {
                return unscripted::invalidate(self.0.plainly(key)).await;
            };
            done(answer)
        })
    }

    fn prime<'a>(&'a self, key: &'a str, shape: Shape, entry: &'a [u8]) -> Reply<'a, ()> {
        Box::pin(async move {
            let fresh = Generation::fresh();
            let answer = self.0.script(&PRIME, key, |command| {
                command.arg(&fresh.0).arg(shape.to_string()).arg(entry);
            });
            let Some(answer) = answer.await? else {
                return unscripted::prime(self.0.plainly(key), shape, entry).await;
            };
            done(answer)
        })
    }

    fn replace<'a>(&'a self, key: &'a str, fields: &'a [Replacement]) -> Reply<'a, bool> {
        Box::pin(async move {
            let fresh = Generation::fresh();
            let answer = self.0.script(&REPLACE, key, |command| {
                command.arg(&fresh.0);
                for field in fields {
                    command.arg(&field.field).arg(&field.old).arg(&field.new);
                }
            });
            let Some(answer) = answer.await? else {
                return unscripted::replace(self.0.plainly(key), fields).await;
            };
            reply(answer)
        })
    }

    fn scan<'a>(&'a self) -> Reply<'a, Scan> {
        Box::pin(async move {
            let (primaries, layout) = self.0.topology.primaries().await?;
            Ok(Scan { primaries: primaries.into_iter().map(Cursor::first).collect(), layout })
        })
    }

    fn scan_on<'a>(&'a self, prefix: &'a str, from: &'a Cursor) -> Reply<'a, Scanned> {
        Box::pin(async move {
            scan::read(
                self.0.topology.ask_primary(&from.primary, &scan::step(prefix, from)).await?,
                from,
            )
        })
    }

    fn subscribe<'a>(&'a self, key: &'a str) -> Reply<'a, Subscription> {
        Box::pin(async move { self.0.topology.subscribe(&channel(key)).await })
    }
}
