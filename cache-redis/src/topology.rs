//! What kind of Redis it is: where the commands of a key go, and where its wake-ups come from.

use std::sync::Arc;

use cache_core::store::Subscription;
use cache_core::{Error, ErrorKind};
use redis::Cmd;
use redis::aio::MultiplexedConnection;

use crate::clock::ServerClock;
use crate::cluster::Cluster;
use crate::connect::Link;
use crate::door::Door;
use crate::ear::Verbs;
use crate::nodes::Nodes;
use crate::slots::Place;
use crate::wake::Wakes;
use crate::wire::Answer;

pub(crate) enum Topology {
    /// One server, or one primary that sentinels watch over.
    Single {
        link: Link,
        door: Door,
        place: Place,
        wakes: Wakes,
    },
    /// A connection that somebody else made: it cannot listen.
    Given(Link),
    Cluster(Cluster),
}

impl Topology {
    pub(crate) fn single(door: Door) -> Self {
        let wakes = Wakes::new(Verbs::PLAIN, Arc::default());
        let place = Place::from(door.address());
        Self::Single { link: Link::to(door.clone()), door, place, wakes }
    }

    pub(crate) fn given(connection: MultiplexedConnection) -> Self {
        Self::Given(Link::over(connection))
    }

    /// `door` leads to any of them but for the address.
    pub(crate) fn cluster(door: Door, seeds: Vec<Place>) -> Self {
        Self::Cluster(Cluster::to(Nodes::new(door, seeds)))
    }

    /// What to call it in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Single { link, .. } | Self::Given(link) => link.address().to_owned(),
            Self::Cluster(cluster) => cluster.name(),
        }
    }

    pub(crate) fn clock(&self) -> &ServerClock {
        match self {
            Self::Single { link, .. } | Self::Given(link) => link.clock(),
            Self::Cluster(cluster) => cluster.clock(),
        }
    }

    pub(crate) async fn ready(&self) -> Result<(), Error> {
        match self {
            Self::Single { link, .. } | Self::Given(link) => link.ready().await,
            Self::Cluster(cluster) => cluster.ready().await,
        }
    }

    /// Which part of it serves the key at this moment: on a cluster, which primary.
    pub(crate) fn lane(&self, key: &str) -> usize {
        match self {
            Self::Single { .. } | Self::Given(_) => 0,
            Self::Cluster(cluster) => cluster.lane(key),
        }
    }

    /// Sends a command about this key.
    pub(crate) async fn ask(&self, key: &str, command: &Cmd) -> Result<Answer, Error> {
        match self {
            Self::Single { link, .. } | Self::Given(link) => link.ask(command).await,
            Self::Cluster(cluster) => cluster.ask(key, command).await,
        }
    }

    /// Every server whose keys are all keys, and a number that changes with who serves what.
    pub(crate) async fn primaries(&self) -> Result<(Vec<Place>, u64), Error> {
        match self {
            Self::Single { link, place, .. } => {
                link.wire().await?; // behind sentinels: to whoever is the primary now
                Ok((vec![place.clone()], link.meetings()))
            }
            Self::Given(link) => Ok((vec![link.address().into()], 0)),
            Self::Cluster(cluster) => cluster.primaries().await,
        }
    }

    /// Sends a command about no key in particular.
    pub(crate) async fn ask_primary(&self, place: &Place, command: &Cmd) -> Result<Answer, Error> {
        match self {
            Self::Single { link, .. } | Self::Given(link) => link.ask(command).await,
            Self::Cluster(cluster) => cluster.ask_primary(place, command).await,
        }
    }

    /// The command by which scripts publish.
    pub(crate) fn publish(&self) -> &'static str {
        match self {
            Self::Single { wakes, .. } => wakes.publish(),
            Self::Given(_) => Verbs::PLAIN.publish,
            Self::Cluster(cluster) => cluster.publish(),
        }
    }

    pub(crate) async fn subscribe(&self, channel: &str) -> Result<Subscription, Error> {
        match self {
            Self::Single { link, door, place, wakes } => {
                // A link that is down says so at once; a listener would find out for itself.
                link.wire().await?;
                wakes.subscribe(place, door.clone(), channel).await
            }
            Self::Given(_) => Err(deaf()),
            Self::Cluster(cluster) => cluster.subscribe(channel).await,
        }
    }
}

fn deaf() -> Error {
    Error::new(ErrorKind::Unavailable, "a given connection cannot listen for wake-ups")
}
