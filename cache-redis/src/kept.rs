//! Something that a background task makes, keeps and makes anew: asked for here, kept there.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cache_core::{Error, ErrorKind};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// A runtime that shuts down drops its tasks one by one: so long between the first and the last.
const FAREWELL: Duration = Duration::from_millis(50);

/// How the thing stands.
#[derive(Debug, Clone)]
pub(crate) enum State<T> {
    /// No keeper: nobody has asked yet, or its runtime has ended.
    Idle,
    Busy,
    Up(T),
    Down(Error),
}

/// The thing, for those who ask. Dropping it ends its keeper.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    state: Arc<watch::Sender<State<T>>>,
    task: Mutex<Option<AbortHandle>>,
}

/// The thing, for the task that keeps it. When it is dropped, be it with its runtime, nobody does.
#[derive(Debug)]
pub(crate) struct Keeper<T>(Arc<watch::Sender<State<T>>>);

impl<T: Clone + Send + Sync + 'static> Kept<T> {
    pub(crate) fn new(state: State<T>) -> Self {
        Self { state: Arc::new(watch::Sender::new(state)), task: Mutex::default() }
    }

    /// What there is, or what the first attempt brings, which `keep` makes where nobody does.
    /// Fails at once while the last attempt has failed.
    pub(crate) async fn get<K: Future<Output = ()> + Send + 'static>(
        &self,
        keep: impl Fn(Keeper<T>) -> K,
    ) -> Result<T, Error> {
        let mut states = self.state.subscribe();
        let mut started = false;
        loop {
            let state = states.borrow_and_update().clone();
            match state {
                State::Up(thing) => return Ok(thing),
                State::Down(error) => return Err(error),
                State::Idle if started => return Err(no_runtime()),
                State::Idle => {
                    self.start(&keep)?;
                    started = true;
                }
                State::Busy => {
                    // The sender is in `self`, so this cannot fail.
                    let _ = states.changed().await;
                }
            }
        }
    }

    /// What there is at this moment, without waiting for it.
    pub(crate) fn now(&self) -> Option<T> {
        match &*self.state.borrow() {
            State::Up(thing) => Some(thing.clone()),
            _ => None,
        }
    }

    /// Starts a keeper on this runtime, if no other call is about to.
    pub(crate) fn start<K: Future<Output = ()> + Send + 'static>(
        &self,
        keep: impl Fn(Keeper<T>) -> K,
    ) -> Result<(), Error> {
        let runtime = Handle::try_current().map_err(|_| no_runtime())?;
        let ours = self.state.send_if_modified(|state| {
            let idle = matches!(state, State::Idle);
            if idle {
                *state = State::Busy;
            }
            idle
        });
        if ours {
            // Made here: a runtime that is shutting down drops the task without polling it.
            let keeper = Keeper(self.state.clone());
            let task = runtime.spawn(keep(keeper)).abort_handle();
            *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        }
        Ok(())
    }

    /// Where the last attempt failed, the next one is due now.
    pub(crate) fn hurry(&self) {
        self.state.send_if_modified(|state| {
            let down = matches!(state, State::Down(_));
            if down {
                *state = State::Busy;
            }
            down
        });
    }

    /// Whether the runtime of the keeper is gone, and the keeper with it. What merely broke still
    /// has one, who says so.
    pub(crate) async fn is_orphaned(&self) -> bool {
        let mut states = self.state.subscribe();
        let said = timeout(FAREWELL, states.wait_for(|state| !matches!(state, State::Up(_)))).await;
        matches!(said, Ok(Ok(state)) if matches!(*state, State::Idle))
    }

    /// Waits for one that `suits`.
    pub(crate) async fn wait_for(&self, suits: impl Fn(&T) -> bool) {
        let mut states = self.state.subscribe();
        // The sender is in `self`, so this cannot fail.
        let _ = states.wait_for(|state| matches!(state, State::Up(thing) if suits(thing))).await;
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        let task = self.task.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = task.take() {
            task.abort();
        }
    }
}

impl<T> Keeper<T> {
    pub(crate) fn up(&self, thing: T) {
        self.0.send_replace(State::Up(thing));
    }

    pub(crate) fn down(&self, error: Error) {
        self.0.send_replace(State::Down(error));
    }

    /// Waits before the next attempt, unless somebody is in a hurry.
    pub(crate) async fn rest(&self, pause: Duration) {
        let mut states = self.0.subscribe();
        let wanted = states.wait_for(|state| matches!(state, State::Busy));
        let _ = timeout(pause, wanted).await;
    }
}

impl<T> Drop for Keeper<T> {
    fn drop(&mut self) {
        self.0.send_replace(State::Idle);
    }
}

fn no_runtime() -> Error {
    Error::new(ErrorKind::Unavailable, "there is no tokio runtime to connect to Redis on")
}
