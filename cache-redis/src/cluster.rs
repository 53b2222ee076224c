//! A cluster: each command goes to the primary of its key's slot, and after it where it moved.
//!
//! We do not use the driver's cluster connection: while it looks for one server it holds back the
//! commands for all. Here a command waits for nobody but the server it is for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cache_core::store::Subscription;
use cache_core::{Error, ErrorKind};
use redis::Cmd;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::clock::ServerClock;
use crate::error::{Redirect, misunderstood, redirect};
use crate::kept::{Kept, State};
use crate::nodes::Nodes;
use crate::slots::{Map, Place, place, slot};
use crate::wire::{Answer, DEADLINE};

/// So often a command is sent on before its last answer stands.
const REDIRECTS: u32 = 8;
/// After so many of them the servers do not agree yet who serves the slot.
const DISPUTE: u32 = 3;
/// How long a command waits, in all, for servers that are just changing what they serve.
const PATIENCE: Duration = Duration::from_millis(100);
/// The keys of a script move one after another: so long until it is tried again.
const MOMENT: Duration = Duration::from_millis(20);

/// The way to a cluster. Dropping it ends its background tasks.
pub(crate) struct Cluster {
    nodes: Arc<Nodes>,
    map: Kept<Arc<Map>>,
}

impl Cluster {
    /// Begins to connect if there is a runtime to do it on.
    pub(crate) fn to(nodes: Nodes) -> Self {
        let cluster = Self { nodes: Arc::new(nodes), map: Kept::new(State::Idle) };
        if Handle::try_current().is_ok() {
            // The first command will say what is wrong, if anything is.
            let _ = cluster.map.start(|keeper| cluster.nodes.clone().keep(keeper));
        }
        cluster
    }

    pub(crate) fn name(&self) -> String {
        self.nodes.name()
    }

    pub(crate) fn clock(&self) -> &ServerClock {
        self.nodes.clock()
    }

    /// The command by which scripts publish.
    pub(crate) fn publish(&self) -> &'static str {
        self.nodes.wakes().publish()
    }

    /// Waits for every primary.
    pub(crate) async fn ready(&self) -> Result<(), Error> {
        self.map.hurry();
        for place in self.map().await?.primaries() {
            self.nodes.link(place)?.ready().await?;
        }
        self.nodes.agree();
        Ok(())
    }

    /// The number of the primary that is known to serve the key; 0 while none is.
    pub(crate) fn lane(&self, key: &str) -> usize {
        let map = self.map.now();
        let primary = map.as_deref().and_then(|map| map.primary(slot(key)));
        primary.map_or(0, |primary| 1 + self.nodes.number(primary))
    }

    /// Sends the command to whoever serves the key, following what has moved.
    pub(crate) async fn ask(&self, key: &str, command: &Cmd) -> Result<Answer, Error> {
        let silent = || Error::new(ErrorKind::Timeout, "the cluster has not answered in time");
        timeout(DEADLINE, self.follow(slot(key), command)).await.unwrap_or_else(|_| Err(silent()))
    }

    /// Every primary, as somebody has just said, and a number that changes with who serves what.
    pub(crate) async fn primaries(&self) -> Result<(Vec<Place>, u64), Error> {
        self.another_look(Instant::now() + PATIENCE).await?;
        let map = self.map().await?;
        let primaries: BTreeSet<Place> = map.primaries().cloned().collect();
        Ok((primaries.into_iter().collect(), map.digest()))
    }

    /// Sends a command about no key to this primary.
    pub(crate) async fn ask_primary(&self, place: &Place, command: &Cmd) -> Result<Answer, Error> {
        self.send(&Way { place: place.clone(), ahead: false }, command).await
    }

    async fn follow(&self, slot: u16, command: &Cmd) -> Result<Answer, Error> {
        let mut way = self.way(slot).await?;
        let mut answer = self.send(&way, command).await?;
        let until = Instant::now() + PATIENCE;
        for hop in 0..REDIRECTS {
            match answer.value.as_ref().err().and_then(redirect) {
                Some(Redirect::Moved(address)) => {
                    self.nodes.look_again();
                    if hop >= DISPUTE {
                        sleep(MOMENT).await;
                    }
                    way = Way::to(&address, &way, false)?;
                }
                Some(Redirect::Ask(address)) => way = Way::to(&address, &way, true)?,
                Some(Redirect::Later) if Instant::now() < until => {
                    sleep(MOMENT).await;
                    way = self.way(slot).await?;
                }
                Some(Redirect::Elsewhere) if Instant::now() < until => {
                    self.another_look(until).await?;
                    way = self.way(slot).await?;
                }
                _ => break,
            }
            answer = self.send(&way, command).await?;
        }
        Ok(answer)
    }

    /// Waits until somebody has looked again who serves what, or the time is over.
    async fn another_look(&self, until: Instant) -> Result<(), Error> {
        let known = self.map().await?;
        self.nodes.look_again();
        let newer = self.map.wait_for(|map| !Arc::ptr_eq(map, &known));
        let _ = timeout_at(until, newer).await; // else the old one has to do
        Ok(())
    }

    async fn send(&self, way: &Way, command: &Cmd) -> Result<Answer, Error> {
        let link = self.nodes.link(&way.place)?;
        let answer =
            if way.ahead { link.ask_ahead(command).await } else { link.ask(command).await };
        if answer.is_err() {
            self.nodes.look_again();
        }
        answer
    }

    /// Listens where the channel's slot is served.
    pub(crate) async fn subscribe(&self, channel: &str) -> Result<Subscription, Error> {
        let place = self.way(slot(channel)).await?.place;
        let link = self.nodes.link(&place)?;
        // A link that is down says so at once; a listener would find out for itself.
        if let Err(error) = link.wire().await {
            self.nodes.look_again();
            return Err(error);
        }
        let door = self.nodes.door(&place).ok_or_else(misunderstood)?;
        self.nodes.wakes().subscribe(&place, door, channel).await
    }

    async fn way(&self, slot: u16) -> Result<Way, Error> {
        let map = self.map().await?;
        match map.primary(slot) {
            Some(place) => Ok(Way { place: place.clone(), ahead: false }),
            None => {
                self.nodes.look_again();
                Err(Error::new(ErrorKind::Unavailable, "no server of the cluster serves the key"))
            }
        }
    }

    async fn map(&self) -> Result<Arc<Map>, Error> {
        self.map.get(|keeper| self.nodes.clone().keep(keeper)).await
    }
}

/// Where a command goes, and whether the key is only just moving there.
struct Way {
    place: Place,
    ahead: bool,
}

impl Way {
    /// To the address that the end of another way has named.
    fn to(address: &str, from: &Self, ahead: bool) -> Result<Self, Error> {
        let place = place(address, &from.place).ok_or_else(misunderstood)?;
        Ok(Self { place, ahead })
    }
}
