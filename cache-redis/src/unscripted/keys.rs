//! The keys of one value, read and written one by one.

use std::time::Duration;

use cache_core::store::{Generation, Shape, Token};
use cache_core::{Error, ErrorKind, Timestamp};
use futures_util::future::{try_join, try_join5};
use redis::{Cmd, FromRedisValue, cmd};

use super::records::{Holder, Marker, stands};
use crate::reply::{done, millis, reply, time};
use crate::scripts::channel;
use crate::topology::Topology;

pub(crate) struct Keys<'a> {
    redis: &'a Topology,
    entry: &'a str,
}

/// What they hold.
pub(super) struct Standing {
    pub(super) now: Timestamp,
    /// Only where it counts.
    pub(super) entry: Option<Vec<u8>>,
    pub(super) generation: Generation,
    pub(super) marker: Marker,
    pub(super) holder: Option<Holder>,
}

impl<'a> Keys<'a> {
    /// Of the value whose entries are under `entry`.
    pub(crate) fn of(redis: &'a Topology, entry: &'a str) -> Self {
        Self { redis, entry }
    }

    pub(super) async fn look(&self, shape: Shape) -> Result<Standing, Error> {
        let field = shape.to_string();
        let (now, entry, generation, marker, holder) = try_join5(
            self.now(),
            self.field(field.as_bytes()),
            self.generation(),
            self.marker(),
            self.holder(),
        )
        .await?;
        let entry = entry.filter(|entry| stands(entry, now));
        Ok(Standing { now, entry, generation, marker, holder })
    }

    pub(super) async fn now(&self) -> Result<Timestamp, Error> {
        time(self.redis.ask(self.entry, &cmd("TIME")).await?)
    }

    pub(super) async fn field(&self, name: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        ours(self.get(self.entry("HGET").arg(name)).await)
    }

    pub(super) async fn generation(&self) -> Result<Generation, Error> {
        let bytes: Option<Vec<u8>> = ours(self.get(&self.part("GET", "gen")).await)?;
        Ok(bytes.and_then(|bytes| bytes.try_into().ok()).map_or(Generation::NONE, Generation))
    }

    pub(super) async fn marker(&self) -> Result<Marker, Error> {
        let mark: Option<Vec<u8>> = ours(self.get(&self.part("GET", "mark")).await)?;
        Ok(Marker::read(&mark.unwrap_or_default()))
    }

    pub(super) async fn holder(&self) -> Result<Option<Holder>, Error> {
        let (get, left) = (self.part("GET", "lease"), self.part("PTTL", "lease"));
        let lease = async { ours(self.get(&get).await) };
        let (lease, left) = try_join(lease, self.get(&left)).await?;
        Ok(Holder::read(&Option::<Vec<u8>>::unwrap_or_default(lease), left))
    }

    /// Takes the lease if nobody holds it.
    pub(super) async fn take(&self, token: Token, life: Duration) -> Result<bool, Error> {
        let mut set = self.part("SET", "lease");
        set.arg(format!("{token}:0")).arg("NX").arg("PX").arg(millis(life));
        Ok(self.get::<Option<String>>(&set).await?.is_some())
    }

    pub(super) async fn extend(&self, part: &str, life: Duration) -> Result<(), Error> {
        self.tell(self.part("PEXPIRE", part).arg(millis(life))).await
    }

    /// Makes the load known, and says how many run.
    pub(super) async fn note_load(
        &self,
        token: Token,
        now: Timestamp,
        life: Duration,
    ) -> Result<u32, Error> {
        let now = now.as_micros() / 1000;
        self.tell(self.part("ZADD", "load").arg(now + millis(life)).arg(token.to_string())).await?;
        let mut lapsed = self.part("ZREMRANGEBYSCORE", "load");
        self.tell(lapsed.arg("-inf").arg(format!("({now}"))).await?;
        // The others' leases may be longer.
        if self.get::<i64>(&self.part("PTTL", "load")).await?
            < i64::try_from(millis(life)).unwrap_or(i64::MAX)
        {
            self.extend("load", life).await?;
        }
        self.get(&self.part("ZCARD", "load")).await
    }

    /// The load has ended: it holds nothing any more but a lease that lapses. It is waited for, but
    /// nothing hangs on it: the mark lapses too, and who may not publish lets the others poll.
    pub(super) async fn leave(&self, token: Token) {
        let _ = self.tell(self.part("ZREM", "load").arg(token.to_string())).await;
        self.wake().await;
    }

    pub(super) async fn wake(&self) {
        let mut publish = cmd(self.redis.publish());
        let _ = self.tell(publish.arg(channel(self.entry)).arg("")).await;
    }

    pub(super) async fn supersede(&self) -> Result<(), Error> {
        let mut set = self.part("SET", "gen");
        self.tell(set.arg(&Generation::fresh().0).arg("PX").arg(millis(Generation::LIFE))).await
    }

    /// Both commands are sent at once: who gives up between them leaves no entry without an end.
    pub(super) async fn put(&self, field: &[u8], entry: &[u8], end: u64) -> Result<(), Error> {
        let (mut write, mut expire) = (self.entry("HSET"), self.entry("PEXPIREAT"));
        write.arg(field).arg(entry);
        expire.arg(end);
        try_join(self.tell(&write), self.tell(&expire)).await.map(drop)
    }

    /// A command about the entries.
    pub(super) fn entry(&self, verb: &str) -> Cmd {
        let mut command = cmd(verb);
        command.arg(self.entry);
        command
    }

    /// A command about what stands beside them.
    pub(super) fn part(&self, verb: &str, part: &str) -> Cmd {
        let mut command = cmd(verb);
        command.arg(self.name(part));
        command
    }

    pub(super) fn name(&self, part: &str) -> String {
        format!("{}:{part}", self.entry)
    }

    pub(super) async fn get<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Error> {
        reply(self.redis.ask(self.entry, command).await?)
    }

    pub(super) async fn tell(&self, command: &Cmd) -> Result<(), Error> {
        done(self.redis.ask(self.entry, command).await?)
    }
}

/// What stands there in another type is not ours, and counts as nothing.
fn ours<T>(reply: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match reply {
        Err(error) if error.kind() == ErrorKind::WrongType => Ok(None),
        reply => reply,
    }
}
