//! Who wants to hear of what: the channels of a store and how each of them stands.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cache_core::Error;
use tokio::sync::{Notify, watch};

/// The name of a channel.
pub(crate) type Name = Arc<str>;

/// What callers want, shared with the task that brings it about.
#[derive(Debug, Default)]
pub(crate) struct Board {
    state: Mutex<State>,
    /// Something was added to `changed`. One permit is enough: the task takes all of it.
    pub(crate) work: Notify,
}

#[derive(Debug, Default)]
struct State {
    channels: HashMap<Name, Channel>,
    /// Channels that were wanted or left since the task last looked.
    changed: Vec<Name>,
    attended: bool,
}

#[derive(Debug)]
struct Channel {
    interests: usize,
    heard: watch::Sender<u64>,
    standing: watch::Sender<Standing>,
}

/// How the subscription to a channel stands.
#[derive(Debug, Clone)]
pub(crate) enum Standing {
    /// Nobody has asked the server yet.
    New,
    Asked,
    Confirmed,
    Failed(Error),
}

/// One caller's interest. The last one to be dropped ends the subscription.
#[derive(Debug)]
pub(crate) struct Interest {
    board: Arc<Board>,
    name: Name,
    pub(crate) heard: watch::Receiver<u64>,
    pub(crate) standing: watch::Receiver<Standing>,
}

/// What the task has to tell the server.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) join: Vec<Name>,
    pub(crate) leave: Vec<Name>,
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an interest in the channel. One that had failed is tried again.
    pub(crate) fn enlist(self: &Arc<Self>, name: &str) -> Interest {
        let name: Name = Arc::from(name);
        let mut state = self.state();
        let channel = state.channels.entry(name.clone()).or_insert_with(|| Channel {
            interests: 0,
            heard: watch::Sender::new(0),
            standing: watch::Sender::new(Standing::New),
        });
        channel.interests += 1;
        let (heard, standing) = (channel.heard.subscribe(), channel.standing.subscribe());
        if matches!(*standing.borrow(), Standing::New | Standing::Failed(_)) {
            channel.standing.send_replace(Standing::Asked);
            state.changed.push(name.clone());
            self.work.notify_one();
        }
        drop(state);
        Interest { board: self.clone(), name, heard, standing }
    }

    /// Whether the caller is to start the task, since there is none.
    pub(crate) fn claim(&self) -> bool {
        !mem::replace(&mut self.state().attended, true)
    }

    /// The task has ended, and with it every subscription.
    pub(crate) fn unattended(&self, error: &Error) {
        let mut state = self.state();
        state.attended = false;
        for channel in state.channels.values() {
            channel.standing.send_replace(Standing::Failed(error.clone()));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.state().channels.is_empty()
    }

    /// A connection is new and knows of no channel yet.
    pub(crate) fn start_over(&self) {
        let mut state = self.state();
        state.changed = state.channels.keys().cloned().collect();
        for channel in state.channels.values() {
            channel.standing.send_replace(Standing::Asked);
        }
    }

    /// Whoever still waits for a confirmation waits in vain.
    pub(crate) fn fail_asked(&self, error: &Error) {
        for channel in self.state().channels.values() {
            if matches!(*channel.standing.borrow(), Standing::Asked) {
                channel.standing.send_replace(Standing::Failed(error.clone()));
            }
        }
    }

    /// What changed since the last call, given what the connection is `subscribed` to.
    pub(crate) fn changes(&self, subscribed: &HashSet<Name>) -> Changes {
        let mut state = self.state();
        let mut changes = Changes::default();
        let changed: HashSet<Name> = mem::take(&mut state.changed).into_iter().collect();
        for name in changed {
            match (state.channels.get(&name), subscribed.contains(&name)) {
                (Some(_), false) => changes.join.push(name),
                // Left and wanted again before we looked.
                (Some(channel), true) => drop(channel.standing.send_replace(Standing::Confirmed)),
                (None, true) => changes.leave.push(name),
                (None, false) => {}
            }
        }
        changes
    }

    /// The server confirmed or refused the channel. Who listened before may have missed something.
    pub(crate) fn settle(&self, name: &str, standing: Standing) {
        if let Some(channel) = self.state().channels.get(name) {
            channel.heard.send_modify(|count| *count += 1);
            channel.standing.send_replace(standing);
        }
    }

    /// A message came in.
    pub(crate) fn hear(&self, name: &str) {
        if let Some(channel) = self.state().channels.get(name) {
            channel.heard.send_modify(|count| *count += 1);
        }
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        let mut state = self.board.state();
        let Some(channel) = state.channels.get_mut(&self.name) else { return };
        channel.interests -= 1;
        if channel.interests == 0 {
            state.channels.remove(&self.name);
            state.changed.push(self.name.clone());
            self.board.work.notify_one();
        }
    }
}
