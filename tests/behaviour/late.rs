//! A real store some of whose answers come late.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use herdless::store::{
    Begin, Begun, Committed, Cursor, Load, Mark, Next, Replacement, Reply, Scan, Scanned, Shape,
    Store, Subscription,
};
use herdless::{Cache, Error, ErrorKind, RedisStore, Timestamp};
use tokio::sync::watch;

use crate::backend::World;

/// Which answers are held back until the gate opens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Held {
    Read,
    Begin,
    /// A look's that brings a value; all that bring none come at once.
    Found,
    Commit,
    Abandon,
    /// The second look at all keys, before it begins.
    SecondLook,
    /// Not held back: looks at all keys fail until the gate opens.
    NoLooks,
    /// Not held back: who serves what is another after the first look.
    Layout,
    /// Not held back: refused, as to an account without the right to channels.
    Wakes,
}

/// A store some of whose answers come late.
#[derive(Debug)]
pub(crate) struct Late {
    store: RedisStore,
    held: Held,
    open: watch::Sender<bool>,
    asked: Arc<watch::Sender<u32>>,
    looks: AtomicU32,
}

impl Late {
    async fn hold(&self, kind: Held) {
        if kind == self.held {
            self.asked.send_modify(|asked| *asked += 1);
            self.open.subscribe().wait_for(|open| *open).await.expect("the store lives");
        }
    }
}

impl Store for Late {
    fn now(&self) -> Timestamp {
        self.store.now()
    }
    fn latest(&self) -> Timestamp {
        self.store.latest()
    }
    fn read<'a>(&'a self, key: &'a str, shape: Shape) -> Reply<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let answer = self.store.read(key, shape).await;
            self.hold(Held::Read).await;
            answer
        })
    }
    fn read_all<'a>(&'a self, key: &'a str) -> Reply<'a, Vec<(Vec<u8>, Vec<u8>)>> {
        self.store.read_all(key)
    }
    fn begin<'a>(&'a self, key: &'a str, begin: Begin) -> Reply<'a, Begun> {
        Box::pin(async move {
            let answer = self.store.begin(key, begin).await;
            self.hold(Held::Begin).await;
            if let Ok(Begun { next: Next::Entry(_), .. }) = &answer {
                self.hold(Held::Found).await;
            }
            answer
        })
    }
    fn renew<'a>(&'a self, key: &'a str, load: Load, lease: Duration) -> Reply<'a, bool> {
        self.store.renew(key, load, lease)
    }
    fn commit<'a>(
        &'a self,
        key: &'a str,
        load: Load,
        shape: Shape,
        entry: &'a [u8],
    ) -> Reply<'a, Committed> {
        Box::pin(async move {
            let answer = self.store.commit(key, load, shape, entry).await;
            self.hold(Held::Commit).await;
            answer
        })
    }
    fn abandon<'a>(&'a self, key: &'a str, load: Load, mark: Mark) -> Reply<'a, bool> {
        Box::pin(async move {
            let answer = self.store.abandon(key, load, mark).await;
            self.hold(Held::Abandon).await;
            answer
        })
    }
    fn invalidate<'a>(&'a self, key: &'a str) -> Reply<'a, ()> {
        self.store.invalidate(key)
    }
    fn prime<'a>(&'a self, key: &'a str, shape: Shape, entry: &'a [u8]) -> Reply<'a, ()> {
        self.store.prime(key, shape, entry)
    }
    fn replace<'a>(&'a self, key: &'a str, fields: &'a [Replacement]) -> Reply<'a, bool> {
        self.store.replace(key, fields)
    }
    fn scan<'a>(&'a self) -> Reply<'a, Scan> {
        Box::pin(async move {
            let look = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
            if look == 2 {
                self.hold(Held::SecondLook).await;
            }
            if self.held == Held::NoLooks && !*self.open.borrow() {
                return Err(Error::new(ErrorKind::Timeout, "a test"));
            }
            let scan = self.store.scan().await?;
            if self.held != Held::Layout {
                return Ok(scan);
            }
            self.asked.send_replace(look);
            Ok(Scan { layout: u64::from(look > 1), ..scan })
        })
    }
    fn scan_on<'a>(&'a self, prefix: &'a str, from: &'a Cursor) -> Reply<'a, Scanned> {
        self.store.scan_on(prefix, from)
    }
    fn subscribe<'a>(&'a self, key: &'a str) -> Reply<'a, Subscription> {
        if self.held == Held::Wakes {
            return Box::pin(async { Err(Error::new(ErrorKind::Refused, "no channels")) });
        }
        self.store.subscribe(key)
    }
}

/// A world whose cache has a late store, and the means to see and to end the delay.
pub(crate) fn late(
    held: Held,
    budget: Duration,
) -> (World, Arc<watch::Sender<u32>>, watch::Sender<bool>) {
    let mut world = World::redis();
    let store = RedisStore::connect(world.server.as_ref().unwrap().url()).unwrap();
    let (open, asked) = (watch::Sender::new(false), Arc::new(watch::Sender::new(0)));
    let late = Late {
        store,
        held,
        open: open.clone(),
        asked: Arc::clone(&asked),
        looks: AtomicU32::default(),
    };
    world.cache = Cache::builder().store(late).namespace("test").io_budget(budget).build();
    (world, asked, open)
}
