//! The numbers, in one place, and why they are what they are.

use std::time::Duration;

/// A shop in front of its cache: vulnerable, and stable as long as nothing happens.
pub(crate) struct Setting {
    /// Keys that are asked for.
    pub(crate) keys: u32,
    /// The k-th most popular key is asked for in proportion to `1 / k^exponent`.
    pub(crate) exponent: f64,
    /// Callers a second. They come whether or not those before them were answered: an open loop.
    pub(crate) rate: f64,
    /// How long a caller waits before it goes away.
    pub(crate) patience: Duration,
    /// How long a value lives.
    pub(crate) ttl: Duration,
    /// How long the backend needs for one load.
    pub(crate) cost: Duration,
    /// How many loads the backend works on at once; the others queue there.
    pub(crate) servers: usize,
    /// By how much a fault slows the backend down.
    pub(crate) slowdown: u32,
    /// For how long, and how long too much is asked for.
    pub(crate) fault: Duration,
    /// Callers a second who ask, during a surge, for keys that nobody else wants.
    pub(crate) surge: f64,
    /// How many such keys there are.
    pub(crate) strangers: u32,
}

/// Without a cache the callers ask for 17 times what the backend can do, with it for two thirds
/// (`the_shop_is_vulnerable_and_stable`): a shop that nothing but its cache keeps open.
///
/// The life is short, so that what a fault leaves behind is seen to pass and to come round again
/// within two minutes. A fault lasts for a whole life: every value ends during it.
pub(crate) const SETTING: Setting = Setting {
    keys: 2000,
    exponent: 1.0,
    rate: 2000.0,
    patience: Duration::from_secs(1),
    ttl: Duration::from_secs(20),
    cost: Duration::from_millis(50),
    servers: 6,
    slowdown: 10,
    fault: Duration::from_secs(20),
    surge: 4000.0,
    strangers: 40_000,
};

impl Setting {
    /// Loads a second that the backend can do.
    pub(crate) fn capacity(&self) -> f64 {
        self.servers as f64 / self.cost.as_secs_f64()
    }

    /// The share of each key, the most popular first.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> {
        let weight = |rank: u32| f64::from(rank).powf(-self.exponent);
        let all: f64 = (1..=self.keys).map(weight).sum();
        (1..=self.keys).map(move |rank| weight(rank) / all)
    }

    /// Loads a second that keep the cache as warm as it gets: one for each life of a key and the
    /// time until somebody asks for it.
    pub(crate) fn need(&self) -> f64 {
        let ttl = self.ttl.as_secs_f64();
        self.shares().map(|share| 1.0 / (ttl + 1.0 / (self.rate * share))).sum()
    }

    /// When it has to be over: twice the time in which the backend could load every key once.
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_secs_f64(2.0 * f64::from(self.keys) / self.capacity())
    }
}

#[test]
fn the_shop_is_vulnerable_and_stable() {
    let without_a_cache = SETTING.rate / SETTING.capacity();
    assert!((16.0..17.0).contains(&without_a_cache), "{without_a_cache} times its capacity");
    let with_it = SETTING.need() / SETTING.capacity();
    assert!((0.6..0.75).contains(&with_it), "{with_it} of its capacity");
    let slow = with_it * f64::from(SETTING.slowdown);
    assert!(slow > 5.0, "while it is slow: {slow} times its capacity");
    let surge = SETTING.surge / SETTING.capacity();
    assert!(surge > 10.0, "keys that are not cached: {surge} times its capacity");
    assert_eq!(SETTING.deadline().as_secs(), 33);
}
