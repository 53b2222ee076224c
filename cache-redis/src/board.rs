//! Who wants to hear of what: the channels of a store and how each of them stands.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cache_core::Error;
use tokio::sync::{Notify, watch};

use crate::slots::Place;

/// The name of a channel.
pub(crate) type Name = Arc<str>;

/// What callers want, shared with the tasks that bring it about: one at each place.
#[derive(Debug, Default)]
pub(crate) struct Board {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    channels: HashMap<Name, Channel>,
    stations: HashMap<Place, Station>,
}

/// What the task of one place has to look at.
#[derive(Debug, Default)]
struct Station {
    /// Channels that were wanted or left since the task last looked.
    changed: Vec<Name>,
    attended: bool,
    /// Something was added to `changed`. One permit is enough: the task takes all of it.
    work: Arc<Notify>,
}

#[derive(Debug)]
struct Channel {
    /// Where it is to be listened to.
    place: Place,
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

    /// Notes an interest in the channel of this place. One that had failed is tried again.
    pub(crate) fn enlist(self: &Arc<Self>, place: &Place, name: &str) -> Interest {
        let name: Name = Arc::from(name);
        let mut state = self.state();
        let channel = state.channels.entry(name.clone()).or_insert_with(|| Channel {
            place: place.clone(),
            interests: 0,
            heard: watch::Sender::new(0),
            standing: watch::Sender::new(Standing::New),
        });
        channel.interests += 1;
        let (heard, standing) = (channel.heard.subscribe(), channel.standing.subscribe());
        let untold = matches!(*standing.borrow(), Standing::New | Standing::Failed(_));
        if untold || channel.place != *place {
            state.send(&name, place);
        }
        drop(state);
        Interest { board: self.clone(), name, heard, standing }
    }

    /// Sends each channel to where it belongs now, and again where that was not done yet. Answers
    /// the places with work to do.
    pub(crate) fn relocate(&self, belongs: impl Fn(&str) -> Option<Place>) -> HashSet<Place> {
        let mut state = self.state();
        let mut moves = Vec::new();
        for (name, channel) in &state.channels {
            let Some(place) = belongs(name) else { continue };
            if place != channel.place || !matches!(*channel.standing.borrow(), Standing::Confirmed)
            {
                moves.push((name.clone(), place));
            }
        }
        for (name, place) in &moves {
            state.send(name, place);
        }
        moves.into_iter().map(|(_, place)| place).collect()
    }

    /// Whether the caller is to start the task of this place, since there is none.
    pub(crate) fn claim(&self, place: &Place) -> bool {
        !mem::replace(&mut self.state().station(place).attended, true)
    }

    /// Tells the task of this place that there is something to do.
    pub(crate) fn work(&self, place: &Place) -> Arc<Notify> {
        self.state().station(place).work.clone()
    }

    /// The task of this place has ended, and with it every subscription there.
    pub(crate) fn unattended(&self, place: &Place, error: &Error) {
        let mut state = self.state();
        state.station(place).attended = false;
        for (_, channel) in state.at(place) {
            channel.standing.send_replace(Standing::Failed(error.clone()));
        }
    }

    pub(crate) fn is_empty(&self, place: &Place) -> bool {
        self.state().at(place).next().is_none()
    }

    /// The connection to this place is new and knows of no channel yet.
    pub(crate) fn start_over(&self, place: &Place) {
        let mut state = self.state();
        let channels = state.at(place).map(|(name, channel)| {
            channel.standing.send_replace(Standing::Asked);
            name.clone()
        });
        let changed = channels.collect();
        state.station(place).changed = changed;
    }

    /// Whoever still waits for a confirmation from this place waits in vain.
    pub(crate) fn fail_asked(&self, place: &Place, error: &Error) {
        for (_, channel) in self.state().at(place) {
            if matches!(*channel.standing.borrow(), Standing::Asked) {
                channel.standing.send_replace(Standing::Failed(error.clone()));
            }
        }
    }

    /// What changed since the last call, given what the connection is `subscribed` to.
    pub(crate) fn changes(&self, place: &Place, subscribed: &HashSet<Name>) -> Changes {
        let mut state = self.state();
        let mut changes = Changes::default();
        let changed = mem::take(&mut state.station(place).changed);
        for name in changed.into_iter().collect::<HashSet<Name>>() {
            let channel = state.channels.get(&name).filter(|channel| channel.place == *place);
            match (channel, subscribed.contains(&name)) {
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

impl State {
    fn station(&mut self, place: &Place) -> &mut Station {
        self.stations.entry(place.clone()).or_default()
    }

    fn at(&self, place: &Place) -> impl Iterator<Item = (&Name, &Channel)> {
        self.channels.iter().filter(move |(_, channel)| channel.place == *place)
    }

    /// The channel is to be asked for at this place, and left where it was.
    fn send(&mut self, name: &Name, place: &Place) {
        let Some(channel) = self.channels.get_mut(name) else { return };
        channel.standing.send_replace(Standing::Asked);
        let before = mem::replace(&mut channel.place, place.clone());
        for place in HashSet::from([&before, place]) {
            self.note(name, place);
        }
    }

    fn note(&mut self, name: &Name, place: &Place) {
        let station = self.station(place);
        station.changed.push(name.clone());
        station.work.notify_one();
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        let mut state = self.board.state();
        let Some(channel) = state.channels.get_mut(&self.name) else { return };
        channel.interests -= 1;
        if channel.interests == 0 {
            let place = channel.place.clone();
            state.channels.remove(&self.name);
            state.note(&self.name, &place);
        }
    }
}
