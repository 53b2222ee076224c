//! Wake-ups: one pub/sub connection per store, made when the first waiter comes.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cache_core::store::Subscription;
use cache_core::{Error, ErrorKind};
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use redis::aio::{PubSub, PubSubSink};
use redis::{Client, RedisError};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::backoff::Backoff;
use crate::board::{Board, Interest, Name, Standing};
use crate::error::{is_final, translate};
use crate::wire::DEADLINE;

/// The subscriptions of a store. Dropping it ends its background task.
pub(crate) struct Wakes {
    client: Client,
    board: Arc<Board>,
    task: Mutex<Option<AbortHandle>>,
    /// The advice on rights was logged.
    told: Arc<AtomicBool>,
}

impl Wakes {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, board: Arc::default(), task: Mutex::default(), told: Arc::default() }
    }

    /// Resolves once the server has confirmed the channel.
    pub(crate) async fn subscribe(&self, channel: &str) -> Result<Subscription, Error> {
        let mut interest = self.board.enlist(channel);
        self.start()?;
        let settled = interest
            .standing
            .wait_for(|now| matches!(now, Standing::Confirmed | Standing::Failed(_)));
        let settled =
            timeout(DEADLINE, settled).await.map(|standing| standing.map(|now| now.clone()));
        match settled {
            Ok(Ok(Standing::Confirmed)) => Ok(subscription(interest)),
            Ok(Ok(Standing::Failed(error))) => Err(error),
            _ => Err(silent()),
        }
    }

    /// Starts the task on this runtime, if there is none.
    fn start(&self) -> Result<(), Error> {
        let runtime = Handle::try_current()
            .map_err(|_| Error::new(ErrorKind::Unavailable, "there is no tokio runtime"))?;
        if self.board.claim() {
            let attendant = Attendant {
                client: self.client.clone(),
                board: self.board.clone(),
                told: self.told.clone(),
            };
            let task = runtime.spawn(attendant.run()).abort_handle();
            *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        }
        Ok(())
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        if let Some(task) = self.task.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

/// What came before this moment is of no interest: the caller looks at the store next.
fn subscription(interest: Interest) -> Subscription {
    let mut heard = interest.heard.clone();
    heard.mark_unchanged();
    Subscription::new(heard, interest)
}

/// The background task: keeps a connection while anybody listens, and tells it what changed.
struct Attendant {
    client: Client,
    board: Arc<Board>,
    told: Arc<AtomicBool>,
}

impl Attendant {
    async fn run(self) {
        let mut backoff = Backoff::new();
        loop {
            while self.board.is_empty() {
                self.board.work.notified().await;
            }
            match self.dial().await {
                Ok(connection) => {
                    backoff = Backoff::new();
                    self.listen(connection).await;
                }
                Err(error) => self.board.fail_asked(&error),
            }
            sleep(backoff.next()).await;
        }
    }

    async fn dial(&self) -> Result<PubSub, Error> {
        let dial = timeout(DEADLINE, self.client.get_async_pubsub()).await;
        dial.map_err(|_| silent())?.map_err(translate)
    }

    /// Passes messages on until the connection breaks.
    async fn listen(&self, connection: PubSub) {
        let (sink, mut messages) = connection.split();
        let mut ear = Ear { attendant: self, sink, subscribed: HashSet::new() };
        self.board.start_over();
        while ear.adjust().await.is_ok() {
            let work = pin!(self.board.work.notified());
            match select(messages.next(), work).await {
                Either::Left((Some(message), _)) => self.board.hear(message.get_channel_name()),
                Either::Left((None, _)) => break,
                Either::Right(_) => {}
            }
        }
        self.board.start_over();
    }

    /// The server will not have us listen to this channel.
    fn refused(&self, name: &Name, error: RedisError) {
        let error = translate(error);
        if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                error = %error,
                "Redis refused a subscription, so waiting calls poll; allow the channels in its ACL"
            );
        }
        self.board.settle(name, Standing::Failed(error));
    }
}

impl Drop for Attendant {
    fn drop(&mut self) {
        let ended = Error::new(ErrorKind::Unavailable, "the runtime that listened has ended");
        self.board.unattended(&ended);
    }
}

/// One connection and the channels it hears.
struct Ear<'a> {
    attendant: &'a Attendant,
    sink: PubSubSink,
    subscribed: HashSet<Name>,
}

/// The connection is of no more use.
struct Broken;

impl Ear<'_> {
    /// Joins and leaves what changed.
    async fn adjust(&mut self) -> Result<(), Broken> {
        let changes = self.attendant.board.changes(&self.subscribed);
        if !changes.leave.is_empty() {
            let left = timeout(DEADLINE, self.sink.unsubscribe(names(&changes.leave))).await;
            left.map_err(|_| Broken)?.map_err(|_| Broken)?;
            self.subscribed.retain(|name| !changes.leave.contains(name));
        }
        if self.join(&changes.join).await?.is_ok() {
            return Ok(());
        }
        // The server refuses a whole command for one channel of it: each by itself, then.
        for name in &changes.join {
            if let Err(error) = self.join(std::slice::from_ref(name)).await? {
                self.attendant.refused(name, error);
            }
        }
        Ok(())
    }

    async fn join(&mut self, channels: &[Name]) -> Result<Result<(), RedisError>, Broken> {
        if channels.is_empty() {
            return Ok(Ok(()));
        }
        match timeout(DEADLINE, self.sink.subscribe(names(channels))).await {
            Ok(Ok(())) => {
                for name in channels {
                    self.subscribed.insert(name.clone());
                    self.attendant.board.settle(name, Standing::Confirmed);
                }
                Ok(Ok(()))
            }
            Ok(Err(error)) if !is_final(&error) => Ok(Err(error)),
            _ => Err(Broken),
        }
    }
}

fn names(channels: &[Name]) -> Vec<&str> {
    channels.iter().map(|name| &**name).collect()
}

fn silent() -> Error {
    Error::new(ErrorKind::Timeout, "Redis has not confirmed a subscription in time")
}
