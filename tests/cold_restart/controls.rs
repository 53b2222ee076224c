//! What people write by hand, so that the criterion is seen to fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::backend::Backend;
use crate::gauge::Fared;
use crate::setting::SETTING;
use crate::source::{Asked, Source};

struct Entry {
    ends: Instant,
    /// How long its load took.
    cost: Duration,
}

/// Values with an end, and the loads that are on their way.
struct Values {
    entries: Mutex<HashMap<u32, Entry>>,
    flights: Mutex<HashMap<u32, watch::Receiver<()>>>,
    backend: Backend,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Values {
    fn new(backend: &Backend) -> Arc<Self> {
        let (entries, flights) = (Mutex::default(), Mutex::default());
        Arc::new(Self { entries, flights, backend: backend.clone() })
    }

    fn fresh(&self, key: u32) -> Option<(Duration, Duration)> {
        let entries = lock(&self.entries);
        let entry = entries.get(&key)?;
        let remaining = entry.ends.saturating_duration_since(Instant::now());
        (!remaining.is_zero()).then_some((remaining, entry.cost))
    }

    fn put(&self, key: u32, age: Duration, cost: Duration) {
        let ends = Instant::now() + SETTING.ttl.saturating_sub(age);
        lock(&self.entries).insert(key, Entry { ends, cost });
    }

    async fn load(&self, key: u32) {
        let began = Instant::now();
        self.backend.load(key).await;
        self.put(key, Duration::ZERO, began.elapsed());
    }

    /// One load a key, in a task of its own; closed when it is over.
    fn join(self: &Arc<Self>, key: u32) -> watch::Receiver<()> {
        let mut flights = lock(&self.flights);
        let start = || {
            let (over, flight) = watch::channel(());
            let values = Arc::clone(self);
            tokio::spawn(async move {
                values.load(key).await;
                lock(&values.flights).remove(&key);
                drop(over);
            });
            flight
        };
        flights.entry(key).or_insert_with(start).clone()
    }
}

/// A map with ends: whoever finds nothing loads, in its own future.
pub(crate) struct Naive(Arc<Values>);

impl Naive {
    pub(crate) fn over(backend: &Backend) -> Arc<dyn Source> {
        Arc::new(Self(Values::new(backend)))
    }
}

impl Source for Naive {
    fn ask(&self, key: u32) -> Asked<Fared> {
        let values = Arc::clone(&self.0);
        Box::pin(async move {
            if values.fresh(key).is_some() {
                return Fared::Hit;
            }
            values.load(key).await;
            Fared::Waited
        })
    }

    fn plant(&self, key: u32, age: Duration) -> Asked<()> {
        self.0.put(key, age, SETTING.cost);
        Box::pin(async {})
    }

    fn remove(&self, key: u32) -> Asked<()> {
        lock(&self.0.entries).remove(&key);
        Box::pin(async {})
    }
}

/// The published xfetch, which refreshes as early as its last load was slow. All else is as good as
/// it gets: one load a key, finished whoever leaves, and a hit never waits.
pub(crate) struct Uncapped(Arc<Values>, Mutex<StdRng>);

impl Uncapped {
    pub(crate) fn over(backend: &Backend) -> Arc<dyn Source> {
        Arc::new(Self(Values::new(backend), Mutex::new(StdRng::seed_from_u64(2015))))
    }
}

impl Source for Uncapped {
    fn ask(&self, key: u32) -> Asked<Fared> {
        let values = Arc::clone(&self.0);
        let draw = 1.0 - lock(&self.1).random::<f64>();
        Box::pin(async move {
            let Some((remaining, cost)) = values.fresh(key) else {
                let _closed = values.join(key).changed().await;
                return Fared::Waited;
            };
            if -draw.ln() * cost.as_secs_f64() >= remaining.as_secs_f64() {
                values.join(key);
            }
            Fared::Hit
        })
    }

    fn plant(&self, key: u32, age: Duration) -> Asked<()> {
        self.0.put(key, age, SETTING.cost);
        Box::pin(async {})
    }

    fn remove(&self, key: u32) -> Asked<()> {
        lock(&self.0.entries).remove(&key);
        Box::pin(async {})
    }
}
