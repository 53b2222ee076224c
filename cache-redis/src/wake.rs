//! Wake-ups: one connection per place, made when the first waiter comes.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cache_core::store::Subscription;
use cache_core::{Error, ErrorKind};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::board::{Board, Interest, Standing};
use crate::door::Door;
use crate::ear::{Attendant, Verbs};
use crate::slots::Place;
use crate::wire::DEADLINE;

/// The subscriptions of a store. Dropping it ends its background tasks.
pub(crate) struct Wakes {
    verbs: Verbs,
    board: Arc<Board>,
    tasks: Mutex<HashMap<Place, AbortHandle>>,
    /// The advice on rights was logged.
    told: Arc<AtomicBool>,
    /// Notified when a channel is no longer where it was.
    astray: Arc<Notify>,
}

impl Wakes {
    pub(crate) fn new(verbs: Verbs, astray: Arc<Notify>) -> Self {
        Self { verbs, board: Arc::default(), tasks: Mutex::default(), told: Arc::default(), astray }
    }

    /// The command by which scripts publish.
    pub(crate) fn publish(&self) -> &'static str {
        self.verbs.publish
    }

    /// Resolves once the server has confirmed the channel.
    pub(crate) async fn subscribe(
        &self,
        place: &Place,
        door: Door,
        channel: &str,
    ) -> Result<Subscription, Error> {
        let mut interest = self.board.enlist(place, channel);
        self.start(place, door)?;
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

    /// Channels have moved. Who listens to one follows it.
    pub(crate) fn relocate(
        &self,
        belongs: impl Fn(&str) -> Option<Place>,
        door: impl Fn(&Place) -> Option<Door>,
    ) {
        for place in self.board.relocate(belongs) {
            if let Some(door) = door(&place) {
                // Called from a task, so there is a runtime.
                let _ = self.start(&place, door);
            }
        }
    }

    /// Other places have been left for good.
    pub(crate) fn keep(&self, places: &HashSet<Place>) {
        self.tasks().retain(|place, task| {
            let stays = places.contains(place);
            if !stays {
                task.abort();
            }
            stays
        });
    }

    /// Starts the task of the place on this runtime, if there is none.
    fn start(&self, place: &Place, door: Door) -> Result<(), Error> {
        let runtime = Handle::try_current()
            .map_err(|_| Error::new(ErrorKind::Unavailable, "there is no tokio runtime"))?;
        if self.board.claim(place) {
            let attendant = Attendant {
                place: place.clone(),
                door,
                verbs: self.verbs,
                board: self.board.clone(),
                told: self.told.clone(),
                astray: self.astray.clone(),
            };
            let task = runtime.spawn(attendant.run()).abort_handle();
            self.tasks().insert(place.clone(), task);
        }
        Ok(())
    }

    fn tasks(&self) -> MutexGuard<'_, HashMap<Place, AbortHandle>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        for task in self.tasks().values() {
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

fn silent() -> Error {
    Error::new(ErrorKind::Timeout, "Redis has not confirmed a subscription in time")
}
