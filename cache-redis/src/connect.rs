//! The link: one connection for commands, made at first use, healed behind the callers' backs.
//!
//! We do not use the driver's reconnecting connection, because it holds commands back while it
//! reconnects. Here a command waits only for a connect that has not failed yet.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cache_core::{Error, ErrorKind, Timestamp};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::backoff::Backoff;
use crate::clock::ServerClock;
use crate::error::{misunderstood, translate, unavailable};
use crate::wire::{Answer, DEADLINE, Wire};

/// The driver does not tell when a connection breaks, so a link without traffic asks. The answer
/// A runtime that shuts down drops its tasks one by one: so long between the first and the last.
const FAREWELL: Duration = Duration::from_millis(50);
/// also keeps the clock.
const BEAT: Duration = Duration::from_secs(1);

/// The way to the server. Dropping it ends its background task.
pub(crate) struct Link {
    shared: Arc<Shared>,
    healer: Mutex<Option<AbortHandle>>,
}

struct Shared {
    /// Absent where we were given a connection: there is nothing to connect to.
    client: Option<Client>,
    address: String,
    state: watch::Sender<State>,
    clock: ServerClock,
}

#[derive(Clone)]
enum State {
    /// No healer: nobody has asked yet, or its runtime has ended.
    Idle,
    Connecting,
    Up(Wire),
    Down(Error),
}

impl Link {
    /// A link to this server. Begins to connect if there is a runtime to do it on.
    pub(crate) fn to(client: Client) -> Self {
        let address = client.get_connection_info().addr().to_string();
        let link = Self::new(Some(client), address, State::Idle);
        if Handle::try_current().is_ok() {
            // The first command will say what is wrong, if anything is.
            let _ = link.start();
        }
        link
    }

    /// A link over a connection that somebody else made.
    pub(crate) fn over(connection: MultiplexedConnection) -> Self {
        Self::new(None, "a given connection".to_owned(), State::Up(Wire::kept(connection)))
    }

    fn new(client: Option<Client>, address: String, state: State) -> Self {
        let (state, clock) = (watch::Sender::new(state), ServerClock::new());
        let shared = Arc::new(Shared { client, address, state, clock });
        Self { shared, healer: Mutex::new(None) }
    }

    pub(crate) fn address(&self) -> &str {
        &self.shared.address
    }

    pub(crate) fn clock(&self) -> &ServerClock {
        &self.shared.clock
    }

    /// Sends the command over the connection there is, or the first one being made. Once more where
    /// the connection went with the runtime it lived on: every command of ours may be said twice.
    pub(crate) async fn ask(&self, command: &Cmd) -> Result<Answer, Error> {
        match self.ask_once(command).await {
            Err(error) if error.kind() == ErrorKind::Unavailable && self.is_orphaned().await => {
                self.ask_once(command).await
            }
            answer => answer,
        }
    }

    /// Whether the runtime that kept the connection is gone, and the healer with it. A connection
    /// that merely broke still has a healer, who says so.
    async fn is_orphaned(&self) -> bool {
        let mut states = self.shared.state.subscribe();
        let said = timeout(FAREWELL, states.wait_for(|state| !matches!(state, State::Up(_)))).await;
        matches!(said, Ok(Ok(state)) if matches!(*state, State::Idle))
    }

    async fn ask_once(&self, command: &Cmd) -> Result<Answer, Error> {
        let wire = self.wire().await?;
        if self.shared.client.is_none() && self.shared.clock.is_old() {
            // No healer samples the clock over a given connection.
            self.shared.sample(&wire).await?;
        }
        wire.ask(command).await
    }

    /// Waits for a connection that answers; where the last attempt failed, for a new one.
    pub(crate) async fn ready(&self) -> Result<(), Error> {
        self.shared.state.send_if_modified(|state| {
            let down = matches!(state, State::Down(_));
            if down {
                *state = State::Connecting;
            }
            down
        });
        let wire = self.wire().await?;
        self.shared.sample(&wire).await
    }

    /// The connection. Fails at once while the link is down.
    pub(crate) async fn wire(&self) -> Result<Wire, Error> {
        let mut states = self.shared.state.subscribe();
        let mut started = false;
        loop {
            let state = states.borrow_and_update().clone();
            match state {
                State::Up(wire) => return self.shared.unless_ended(wire),
                State::Down(error) => return Err(error),
                State::Idle if started => return Err(no_runtime()),
                State::Idle => {
                    self.start()?;
                    started = true;
                }
                State::Connecting => {
                    // The sender is in `self`, so this cannot fail.
                    let _ = states.changed().await;
                }
            }
        }
    }

    /// Starts the healer on this runtime, if no other call is about to.
    fn start(&self) -> Result<(), Error> {
        let runtime = Handle::try_current().map_err(|_| no_runtime())?;
        let ours = self.shared.state.send_if_modified(|state| {
            let idle = matches!(state, State::Idle);
            if idle {
                *state = State::Connecting;
            }
            idle
        });
        if ours {
            // Made here: a runtime that is shutting down drops the task without polling it.
            let healer = Healer(self.shared.clone());
            let task = runtime.spawn(healer.run()).abort_handle();
            *self.healer.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        }
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let healer = self.healer.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(healer) = healer.take() {
            healer.abort();
        }
    }
}

impl Shared {
    fn unless_ended(&self, wire: Wire) -> Result<Wire, Error> {
        match wire.ended() {
            Some(error) => Err(unavailable(&self.address, error)),
            None => Ok(wire),
        }
    }

    /// A new connection that has answered, and so has set the clock.
    async fn dial(&self) -> Result<Wire, Error> {
        let Some(client) = &self.client else { return Err(no_runtime()) };
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let dial = async {
            let connection = client.get_multiplexed_async_connection_with_config(&config).await;
            let wire = Wire::replaceable(connection.map_err(translate)?);
            self.sample(&wire).await?;
            Ok(wire)
        };
        timeout(DEADLINE, dial)
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "connecting took too long")))
            .map_err(|error| unavailable(&self.address, error))
    }

    /// Asks the server for its time.
    async fn sample(&self, wire: &Wire) -> Result<(), Error> {
        let answer = wire.ask(&redis::cmd("TIME")).await?;
        let value = answer.value.map_err(translate)?;
        let (seconds, micros): (u64, u64) =
            redis::from_redis_value(value).map_err(|_| misunderstood())?;
        let time = Timestamp::from_micros(seconds.saturating_mul(1_000_000).saturating_add(micros));
        self.clock.learn(time, answer.sent, answer.received);
        Ok(())
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

    /// Waits before the next attempt, unless [`Link::ready`] wants one now.
    async fn rest(&self, pause: Duration) {
        let mut states = self.state.subscribe();
        let wanted = states.wait_for(|state| matches!(state, State::Connecting));
        let _ = timeout(pause, wanted).await;
    }
}

/// The background task. When it ends, be it with its runtime, the link is idle again.
struct Healer(Arc<Shared>);

impl Healer {
    async fn run(self) {
        let shared = &self.0;
        let mut backoff = Backoff::new();
        let mut told = false;
        loop {
            let error = match shared.dial().await {
                Ok(wire) => {
                    shared.state.send_replace(State::Up(wire.clone()));
                    if std::mem::take(&mut told) {
                        tracing::info!(address = shared.address, "Redis is back");
                    }
                    backoff = Backoff::new();
                    shared.attend(&wire).await
                }
                Err(error) => error,
            };
            if !std::mem::replace(&mut told, true) {
                tracing::warn!(
                    address = shared.address,
                    error = &error as &dyn std::error::Error,
                    "Redis cannot be reached; retrying in the background"
                );
            }
            shared.state.send_replace(State::Down(error));
            shared.rest(backoff.next()).await;
        }
    }
}

impl Drop for Healer {
    fn drop(&mut self) {
        self.0.state.send_replace(State::Idle);
    }
}

fn no_runtime() -> Error {
    Error::new(ErrorKind::Unavailable, "there is no tokio runtime to connect to Redis on")
}
