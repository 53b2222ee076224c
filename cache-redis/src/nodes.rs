//! The servers of a cluster as they are known now, and the task that keeps that knowledge.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cache_core::{Error, ErrorKind};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::backoff::Backoff;
use crate::clock::{JUMP, ServerClock};
use crate::connect::{BEAT, Link};
use crate::door::Door;
use crate::ear::Verbs;
use crate::error::{misunderstood, translate, unavailable};
use crate::kept::Keeper;
use crate::slots::{Map, Place, host_and_port, slot};
use crate::wake::Wakes;

/// How long one server may take to say who serves what: the next one is asked after that.
const PATIENCE: Duration = Duration::from_millis(300);
/// The longest pause between two looks while something is amiss.
const PAUSE: Duration = Duration::from_millis(500);
/// So many beats without trouble until the next look.
const BEATS: u32 = 60;

/// Links to the primaries, and listeners beside them.
pub(crate) struct Nodes {
    /// The way to any of them but for its address.
    door: Door,
    seeds: Vec<Place>,
    links: Mutex<HashMap<Place, Arc<Link>>>,
    /// Every primary there has been, in the order of their coming.
    numbers: Mutex<Vec<Place>>,
    clock: ServerClock,
    wakes: Wakes,
    /// Notified when something is not where it was.
    astray: Arc<Notify>,
    /// That clocks are apart was logged.
    told: AtomicBool,
    /// Who is asked first changes with each look: no server is believed for ever.
    looks: AtomicUsize,
}

impl Nodes {
    pub(crate) fn new(door: Door, seeds: Vec<Place>) -> Self {
        let astray = Arc::<Notify>::default();
        Self {
            door,
            seeds,
            links: Mutex::default(),
            numbers: Mutex::default(),
            clock: ServerClock::default(),
            wakes: Wakes::new(Verbs::SHARDED, astray.clone()),
            astray,
            told: AtomicBool::default(),
            looks: AtomicUsize::default(),
        }
    }

    pub(crate) fn clock(&self) -> &ServerClock {
        &self.clock
    }

    pub(crate) fn wakes(&self) -> &Wakes {
        &self.wakes
    }

    /// What to call the cluster in messages.
    pub(crate) fn name(&self) -> String {
        format!("the cluster of {}", self.seeds.first().map_or("nobody", |seed| seed))
    }

    /// Something is not where it was: another look is due.
    pub(crate) fn look_again(&self) {
        self.astray.notify_one();
    }

    /// The way to this server.
    pub(crate) fn door(&self, place: &Place) -> Option<Door> {
        let (host, port) = host_and_port(place)?;
        Some(self.door.at(host, port))
    }

    /// The link to this server, which begins to connect where it is new.
    pub(crate) fn link(&self, place: &Place) -> Result<Arc<Link>, Error> {
        let door = self.door(place).ok_or_else(misunderstood)?;
        Ok(self.links().entry(place.clone()).or_insert_with(|| Arc::new(Link::to(door))).clone())
    }

    /// A number of its own for each primary, for as long as this process runs.
    pub(crate) fn number(&self, place: &Place) -> usize {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().position(|known| known == place).unwrap_or_else(|| {
            numbers.push(place.clone());
            numbers.len() - 1
        })
    }

    /// The background task: looks who serves what, and again whenever something is amiss.
    pub(crate) async fn keep(self: Arc<Self>, keeper: Keeper<Arc<Map>>) {
        let mut backoff = Backoff::up_to(PAUSE);
        let mut known: Option<Arc<Map>> = None;
        let mut told = false;
        loop {
            match self.look(known.as_deref()).await {
                Ok(map) => {
                    if known.as_deref() != Some(&map) {
                        backoff = Backoff::up_to(PAUSE);
                    }
                    let map = known.insert(Arc::new(map));
                    keeper.up(map.clone());
                    self.settle(map);
                    told = false;
                }
                Err(error) => {
                    if !std::mem::replace(&mut told, true) {
                        tracing::warn!(
                            cluster = self.name(),
                            error = &error as &dyn std::error::Error,
                            "no server says who serves what; asking on in the background"
                        );
                    }
                    // What was known may still be true of some of them.
                    if known.is_none() {
                        keeper.down(error);
                    }
                    self.look_again();
                }
            }
            keeper.rest(backoff.next()).await;
            self.attend().await;
        }
    }

    /// Asks one server after another.
    async fn look(&self, known: Option<&Map>) -> Result<Map, Error> {
        let primaries: HashSet<&Place> = known.into_iter().flat_map(Map::primaries).collect();
        let mut places: Vec<&Place> = primaries.into_iter().chain(&self.seeds).collect();
        let first = self.looks.fetch_add(1, Ordering::Relaxed) % places.len().max(1);
        places.rotate_left(first);
        let mut last = None;
        for place in places {
            let asked = timeout(PATIENCE, self.ask(place)).await;
            match asked.unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "no answer"))) {
                Ok(map) => return Ok(map),
                Err(error) => last = Some(error),
            }
        }
        Err(unavailable(&self.name(), last.unwrap_or_else(misunderstood)))
    }

    async fn ask(&self, place: &Place) -> Result<Map, Error> {
        let mut command = redis::cmd("CLUSTER");
        command.arg("SLOTS");
        let reply = self.link(place)?.ask(&command).await?.value.map_err(translate)?;
        Map::read(reply, place).filter(|map| map.primaries().next().is_some()).ok_or_else(|| {
            Error::new(ErrorKind::Unavailable, format!("{place} knows of no cluster"))
        })
    }

    /// Connects to who is new, lets go of who has left, and has the listeners follow.
    fn settle(&self, map: &Map) {
        let places: HashSet<Place> = map.primaries().cloned().collect();
        for place in &places {
            let _ = self.link(place); // connects behind; a command will say what is wrong
        }
        self.links().retain(|place, _| places.contains(place));
        let belongs = |channel: &str| map.primary(slot(channel)).cloned();
        self.wakes.relocate(belongs, |place| self.door(place));
        self.wakes.keep(&places);
        self.agree();
    }

    /// Keeps the common clock until another look is due.
    async fn attend(&self) {
        for _ in 0..BEATS {
            if timeout(BEAT, self.astray.notified()).await.is_ok() {
                return;
            }
            self.agree();
        }
    }

    /// Sets the common clock by the servers'.
    pub(crate) fn agree(&self) {
        let links: Vec<Arc<Link>> = self.links().values().cloned().collect();
        let apart = self.clock.agree(links.iter().map(|link| &**link.clock()));
        let far = apart > JUMP;
        if far && !self.told.swap(far, Ordering::Relaxed) {
            tracing::warn!(
                cluster = self.name(),
                seconds = apart.as_secs_f64(),
                "clocks of the cluster's servers differ by more than a second: lives of values \
                 are that uncertain; let the servers keep time by NTP"
            );
        }
        self.told.store(far, Ordering::Relaxed);
    }

    fn links(&self) -> MutexGuard<'_, HashMap<Place, Arc<Link>>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
