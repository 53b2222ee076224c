//! One connection: sends a command, tells an answer from silence.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cache_core::{Error, ErrorKind, Timestamp};
use redis::aio::{ConnectionLike as _, MultiplexedConnection};
use redis::{Cmd, RedisResult, Value};
use tokio::sync::watch;

use crate::clock::ServerClock;
use crate::error::{is_final, is_read_only, translate};

/// How long an answer may take. Callers usually give up sooner, by dropping the future.
pub(crate) const DEADLINE: Duration = Duration::from_secs(1);
/// A command dropped sooner than this says nothing about the server.
const PATIENCE: Duration = Duration::from_millis(100);
/// So many commands in a row without an answer end the connection.
const SILENCE: u32 = 3;

/// What came back, be it an error of the server's, and when.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) value: RedisResult<Value>,
    sent: Instant,
    received: Instant,
    /// The clock of the server that answered.
    clock: Arc<ServerClock>,
    /// The number of the connection it came over.
    pub(crate) connection: u64,
}

impl Answer {
    /// The answer came with the server's time.
    pub(crate) fn learn(&self, time: Timestamp) {
        self.clock.learn(time, self.sent, self.received);
    }

    /// Whether the server refused to write because it follows another one.
    pub(crate) fn is_of_a_replica(&self) -> bool {
        self.value.as_ref().is_err_and(is_read_only)
    }
}

/// A connection and what is known of its health.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    connection: MultiplexedConnection,
    /// Of all connections of this process; above zero.
    number: u64,
    clock: Arc<ServerClock>,
    /// Absent for a connection that nobody could replace: it is used whatever happens.
    health: Option<Arc<Health>>,
}

#[derive(Debug)]
struct Health {
    unanswered: AtomicU32,
    end: watch::Sender<Option<Error>>,
}

impl Wire {
    /// A connection that is given up when it breaks or falls silent.
    pub(crate) fn replaceable(connection: MultiplexedConnection, clock: Arc<ServerClock>) -> Self {
        let health = Health { unanswered: AtomicU32::new(0), end: watch::Sender::new(None) };
        Self { connection, number: next_number(), clock, health: Some(Arc::new(health)) }
    }

    /// A connection that is kept for good.
    pub(crate) fn kept(connection: MultiplexedConnection, clock: Arc<ServerClock>) -> Self {
        Self { connection, number: next_number(), clock, health: None }
    }

    /// Why the connection was given up, if it was.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.health.as_ref().and_then(|health| health.end.borrow().clone())
    }

    /// Resolves when the connection is given up.
    pub(crate) async fn end(&self) -> Error {
        let Some(health) = &self.health else { return std::future::pending().await };
        let mut end = health.end.subscribe();
        loop {
            if let Some(error) = end.borrow_and_update().clone() {
                return error;
            }
            // The sender is beside us, so this cannot fail.
            let _ = end.changed().await;
        }
    }

    /// Sends the command and waits for its answer. Dropping the future is harmless: the driver
    /// drops the reply when it comes.
    pub(crate) async fn ask(&self, command: &Cmd) -> Result<Answer, Error> {
        let mut connection = self.connection.clone();
        self.await_reply(command.query_async(&mut connection)).await
    }

    /// The same for a key that this server of a cluster has only begun to take over.
    pub(crate) async fn ask_ahead(&self, command: &Cmd) -> Result<Answer, Error> {
        let mut connection = self.connection.clone();
        let mut both = redis::pipe();
        both.cmd("ASKING").add_command(command.clone());
        let reply = async {
            let mut replies = connection.req_packed_commands(&both, 1, 1).await?;
            replies.pop().unwrap_or(Value::Nil).extract_error()
        };
        self.await_reply(reply).await
    }

    async fn await_reply(
        &self,
        reply: impl Future<Output = RedisResult<Value>>,
    ) -> Result<Answer, Error> {
        let sent = Instant::now();
        let mut silence = Silence { wire: Some(self), since: sent };
        let value = tokio::time::timeout(DEADLINE, reply).await.map_err(|_| {
            Error::new(ErrorKind::Timeout, "Redis has not answered within a second")
        })?;
        silence.wire = None;
        match value {
            Err(error) if is_final(&error) => {
                let error = translate(error);
                self.give_up(&error);
                Err(error)
            }
            value => {
                self.answered();
                let clock = self.clock.clone();
                let connection = self.number;
                Ok(Answer { value, sent, received: Instant::now(), clock, connection })
            }
        }
    }

    fn answered(&self) {
        if let Some(health) = &self.health {
            health.unanswered.store(0, Ordering::Relaxed);
        }
    }

    fn unanswered(&self) {
        let Some(health) = &self.health else { return };
        if health.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= SILENCE {
            self.give_up(&Error::new(ErrorKind::Timeout, "Redis has stopped answering"));
        }
    }

    /// Nothing more is to be sent over this connection.
    pub(crate) fn give_up(&self, error: &Error) {
        let Some(health) = &self.health else { return };
        health.end.send_if_modified(|end| {
            let first = end.is_none();
            end.get_or_insert_with(|| error.clone());
            first
        });
    }
}

fn next_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Counts its command as unanswered when dropped with its wire still in it.
struct Silence<'a> {
    wire: Option<&'a Wire>,
    since: Instant,
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        if let Some(wire) = self.wire
            && self.since.elapsed() >= PATIENCE
        {
            wire.unanswered();
        }
    }
}
