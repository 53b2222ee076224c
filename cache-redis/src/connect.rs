//! The link: one connection for commands, made at first use, healed behind the callers' backs.
//!
//! We do not use the driver's reconnecting connection, because it holds commands back while it
//! reconnects. Here a command waits only for a connect that has not failed yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cache_core::{Error, ErrorKind};
use redis::Cmd;
use redis::aio::MultiplexedConnection;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout};

use crate::backoff::Backoff;
use crate::clock::ServerClock;
use crate::door::Door;
use crate::error::unavailable;
use crate::kept::{Keeper, Kept, State};
use crate::reply::time;
use crate::wire::{Answer, DEADLINE, Wire};

/// The driver does not tell when a connection breaks, so a link without traffic asks. The answer
/// also keeps the clock.
pub(crate) const BEAT: Duration = Duration::from_secs(1);
/// Between two warnings about the same server.
const QUIET: Duration = Duration::from_secs(60);

/// The way to one server. Dropping it ends its background task.
pub(crate) struct Link {
    shared: Arc<Shared>,
    wire: Kept<Wire>,
}

struct Shared {
    /// Absent where we were given a connection: there is nothing to connect to.
    door: Option<Door>,
    address: String,
    clock: Arc<ServerClock>,
    /// How many connections there have been.
    meetings: AtomicU64,
}

impl Link {
    /// A link through this door. Begins to connect if there is a runtime to do it on.
    pub(crate) fn to(door: Door) -> Self {
        let address = door.address();
        let (clock, meetings) = Default::default();
        let shared = Arc::new(Shared { door: Some(door), address, clock, meetings });
        let link = Self { shared, wire: Kept::new(State::Idle) };
        if Handle::try_current().is_ok() {
            // The first command will say what is wrong, if anything is.
            let _ = link.wire.start(|keeper| link.shared.clone().heal(keeper));
        }
        link
    }

    /// A link over a connection that somebody else made.
    pub(crate) fn over(connection: MultiplexedConnection) -> Self {
        let clock = Arc::<ServerClock>::default();
        let wire = Kept::new(State::Up(Wire::kept(connection, clock.clone())));
        let (address, meetings) = ("a given connection".to_owned(), AtomicU64::default());
        let shared = Shared { door: None, address, clock, meetings };
        Self { shared: Arc::new(shared), wire }
    }

    pub(crate) fn address(&self) -> &str {
        &self.shared.address
    }

    /// A number that changes with the connection, which may lead to another server.
    pub(crate) fn meetings(&self) -> u64 {
        self.shared.meetings.load(Ordering::SeqCst)
    }

    pub(crate) fn clock(&self) -> &Arc<ServerClock> {
        &self.shared.clock
    }

    /// Sends the command over the connection there is, or the first one being made. Once more where
    /// the connection went with the runtime it lived on, or where its server is a primary no more:
    /// every command of ours may be said twice.
    pub(crate) async fn ask(&self, command: &Cmd) -> Result<Answer, Error> {
        match self.ask_once(command).await {
            Err(error)
                if error.kind() == ErrorKind::Unavailable && self.wire.is_orphaned().await =>
            {
                self.ask_once(command).await
            }
            Ok(answer) if answer.is_of_a_replica() && self.leaves_replicas() => {
                self.answer_of_the_primary(command, answer).await
            }
            answer => answer,
        }
    }

    async fn ask_once(&self, command: &Cmd) -> Result<Answer, Error> {
        let wire = self.ready_wire().await?;
        let answer = wire.ask(command).await?;
        if answer.is_of_a_replica() && self.leaves_replicas() {
            wire.give_up(&Error::new(ErrorKind::ReadOnly, "the server is a primary no more"));
        }
        Ok(answer)
    }

    /// The same for a key that is just moving to this server of a cluster.
    pub(crate) async fn ask_ahead(&self, command: &Cmd) -> Result<Answer, Error> {
        self.ready_wire().await?.ask_ahead(command).await
    }

    /// Waits for a connection that answers; where the last attempt failed, for a new one.
    pub(crate) async fn ready(&self) -> Result<(), Error> {
        self.wire.hurry();
        let wire = self.wire().await?;
        self.shared.sample(&wire).await
    }

    /// The connection. Fails at once while the link is down.
    pub(crate) async fn wire(&self) -> Result<Wire, Error> {
        let wire = self.wire.get(|keeper| self.shared.clone().heal(keeper)).await?;
        match wire.ended() {
            Some(error) => Err(unavailable(&self.shared.address, error)),
            None => Ok(wire),
        }
    }

    async fn ready_wire(&self) -> Result<Wire, Error> {
        let wire = self.wire().await?;
        if self.shared.door.is_none() && self.shared.clock.is_old() {
            // No healer samples the clock over a given connection.
            self.shared.sample(&wire).await?;
        }
        Ok(wire)
    }

    /// Whether a server that was demoted is exchanged for another one.
    fn leaves_replicas(&self) -> bool {
        self.shared.door.as_ref().is_some_and(Door::is_variable)
    }

    /// The answer of the server that took over, or the refusal where none is found in time.
    async fn answer_of_the_primary(&self, command: &Cmd, refusal: Answer) -> Result<Answer, Error> {
        let found = self.wire.wait_for(|wire| wire.ended().is_none());
        match timeout(DEADLINE, found).await {
            Ok(()) => self.ask_once(command).await,
            Err(_) => Ok(refusal),
        }
    }
}

impl Shared {
    /// The background task.
    async fn heal(self: Arc<Self>, keeper: Keeper<Wire>) {
        let shared = &*self;
        let Some(door) = &shared.door else { return };
        let mut backoff = Backoff::new();
        let (mut is_told, mut last) = (false, None::<Instant>);
        loop {
            // A new connection has answered, and so has set the clock.
            let greet = |wire: Wire| async move { shared.sample(&wire).await };
            let error = match door.open(&shared.clock, greet).await {
                Ok(wire) => {
                    shared.meetings.fetch_add(1, Ordering::SeqCst);
                    keeper.up(wire.clone());
                    if std::mem::take(&mut is_told) {
                        tracing::info!(address = shared.address, "Redis is back");
                    }
                    backoff = Backoff::new();
                    shared.attend(&wire).await
                }
                Err(error) => error,
            };
            // A connection that comes and goes is not told of each time.
            if !is_told && last.is_none_or(|last| last.elapsed() >= QUIET) {
                (is_told, last) = (true, Some(Instant::now()));
                tracing::warn!(
                    address = shared.address,
                    error = &error as &dyn std::error::Error,
                    "Redis cannot be reached; retrying in the background"
                );
            }
            keeper.down(error);
            keeper.rest(backoff.next()).await;
        }
    }

    /// Resolves when the connection is given up.
    async fn attend(&self, wire: &Wire) -> Error {
        loop {
            match timeout(BEAT, wire.end()).await {
                Ok(error) => return unavailable(&self.address, error),
                // A failure is counted by the wire.
                Err(_) => drop(self.sample(wire).await),
            }
        }
    }

    /// Asks the server for its time.
    async fn sample(&self, wire: &Wire) -> Result<(), Error> {
        time(wire.ask(&redis::cmd("TIME")).await?).map(drop)
    }
}
