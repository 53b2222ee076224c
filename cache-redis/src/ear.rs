//! Listening at one place: the task that keeps a connection while anybody wants to hear.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cache_core::{Error, ErrorKind};
use futures_util::future::{Either, join_all, select};
use redis::aio::MultiplexedConnection;
use redis::{PushInfo, PushKind, RedisError, RedisResult, Value};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{sleep, timeout};

use crate::backoff::Backoff;
use crate::board::{Board, Name, Standing};
use crate::door::Door;
use crate::error::{is_final, redirect, translate};
use crate::slots::Place;
use crate::wire::DEADLINE;

/// The commands of one kind of channel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verbs {
    subscribe: &'static str,
    unsubscribe: &'static str,
    pub(crate) publish: &'static str,
}

impl Verbs {
    pub(crate) const PLAIN: Self =
        Self { subscribe: "SUBSCRIBE", unsubscribe: "UNSUBSCRIBE", publish: "publish" };
    /// Channels of a cluster that live where the keys of the same tag do.
    pub(crate) const SHARDED: Self =
        Self { subscribe: "SSUBSCRIBE", unsubscribe: "SUNSUBSCRIBE", publish: "spublish" };
}

/// The background task: keeps a connection while anybody listens, and tells what it heard.
pub(crate) struct Attendant {
    pub(crate) place: Place,
    pub(crate) door: Door,
    pub(crate) verbs: Verbs,
    pub(crate) board: Arc<Board>,
    pub(crate) told: Arc<AtomicBool>,
    pub(crate) astray: Arc<Notify>,
}

impl Attendant {
    pub(crate) async fn run(self) {
        let work = self.board.work(&self.place);
        let mut backoff = Backoff::new();
        loop {
            while self.board.is_empty(&self.place) {
                work.notified().await;
            }
            let (say, pushes) = unbounded_channel();
            match self.door.listen(say).await {
                Ok(connection) => {
                    backoff = Backoff::new();
                    self.listen(connection, pushes, &work).await;
                }
                Err(error) => self.board.fail_asked(&self.place, &error),
            }
            // Where the place itself is gone, its channels are to be found elsewhere.
            self.astray.notify_one();
            sleep(backoff.next()).await;
        }
    }

    /// Passes messages on until the connection breaks.
    async fn listen(
        &self,
        connection: MultiplexedConnection,
        mut pushes: UnboundedReceiver<PushInfo>,
        work: &Notify,
    ) {
        let mut ear =
            Ear { attendant: self, connection, subscribed: HashSet::new(), leaving: Vec::new() };
        self.board.start_over(&self.place);
        while ear.adjust().await.is_ok() {
            let work = pin!(work.notified());
            match select(pin!(pushes.recv()), work).await {
                Either::Left((Some(push), _)) if ear.hear(&push).is_ok() => {}
                Either::Left(_) => break,
                Either::Right(_) => {}
            }
        }
        self.board.start_over(&self.place);
    }

    /// The server will not have us listen to this channel.
    fn refused(&self, name: &Name, error: RedisError) {
        if redirect(&error).is_some() {
            self.astray.notify_one();
        } else if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                error = %translate(error.clone()),
                "Redis refused a subscription, so waiting calls poll; allow the channels in its ACL"
            );
        }
        self.board.settle(name, Standing::Failed(translate(error)));
    }
}

impl Drop for Attendant {
    fn drop(&mut self) {
        let ended = Error::new(ErrorKind::Unavailable, "the runtime that listened has ended");
        self.board.unattended(&self.place, &ended);
    }
}

/// One connection and the channels it hears.
struct Ear<'a> {
    attendant: &'a Attendant,
    connection: MultiplexedConnection,
    subscribed: HashSet<Name>,
    /// Channels left of which the server has yet to say so.
    leaving: Vec<Name>,
}

/// The connection is of no more use.
struct Broken;

impl Ear<'_> {
    /// Joins and leaves what changed.
    async fn adjust(&mut self) -> Result<(), Broken> {
        let changes = self.attendant.board.changes(&self.attendant.place, &self.subscribed);
        for name in &changes.leave {
            self.subscribed.remove(name);
            self.leaving.push(name.clone());
        }
        self.say(self.attendant.verbs.unsubscribe, &changes.leave).await?;
        let answers = self.say(self.attendant.verbs.subscribe, &changes.join).await?;
        for (name, answer) in changes.join.into_iter().zip(answers) {
            match answer {
                Ok(()) => {
                    self.attendant.board.settle(&name, Standing::Confirmed);
                    self.subscribed.insert(name);
                }
                Err(error) => self.attendant.refused(&name, error),
            }
        }
        Ok(())
    }

    /// Says it of each channel by itself: the server refuses a whole command for one of them.
    async fn say(
        &self,
        verb: &str,
        channels: &[Name],
    ) -> Result<Vec<Result<(), RedisError>>, Broken> {
        let each = channels.iter().map(|name| async move {
            let mut command = redis::cmd(verb);
            command.arg(&**name);
            let reply: RedisResult<Value> = command.query_async(&mut self.connection.clone()).await;
            match reply {
                Ok(reply) if speaks_of(&reply, name) => Ok(Ok(())),
                // What the server said unasked was taken for our reply: nothing fits any more.
                Ok(_) => Err(Broken),
                Err(error) if is_final(&error) => Err(Broken),
                Err(error) => Ok(Err(error)),
            }
        });
        let answers = timeout(DEADLINE, join_all(each)).await.map_err(|_| Broken)?;
        answers.into_iter().collect()
    }

    fn hear(&mut self, push: &PushInfo) -> Result<(), Broken> {
        let board = &self.attendant.board;
        match (&push.kind, channel(&push.data)) {
            (PushKind::Disconnection, _) => return Err(Broken),
            (PushKind::Message | PushKind::SMessage, Some(name)) => board.hear(name),
            (PushKind::Unsubscribe | PushKind::SUnsubscribe, Some(name)) => {
                let asked = self.leaving.iter().position(|one| **one == *name);
                if let Some(asked) = asked {
                    self.leaving.swap_remove(asked);
                } else if self.subscribed.remove(name) {
                    // The slot has moved, and the channel with it.
                    board.settle(name, Standing::Asked);
                    self.attendant.astray.notify_one();
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn speaks_of(reply: &Value, name: &Name) -> bool {
    matches!(reply, Value::Push { data, .. } if channel(data) == Some(&**name))
}

/// The channel a push speaks of.
fn channel(data: &[Value]) -> Option<&str> {
    match data.first() {
        Some(Value::BulkString(name)) => std::str::from_utf8(name).ok(),
        _ => None,
    }
}
