//! Functions without `self` that use what the `impl` around them declares, and what a `macro_rules`
//! hides in invisible groups.

use std::time::Duration;

use herdless::{Cache, Call, Clock, Kind, cached, with_cache};

use crate::{Loads, loads, twice_and_other};

static TYPE: Loads = Loads::new();
static CONST: Loads = Loads::new();
static LIFETIME: Loads = Loads::new();

struct Holder<T>(T);

impl<T: Default + Into<u64>> Holder<T> {
    #[cached(ttl = 300)]
    async fn start(id: u64) -> u64 {
        TYPE.add();
        let first: T = T::default();
        id + first.into()
    }
}

struct Times<const N: u64>;

impl<const N: u64> Times<N> {
    #[cached(ttl = 300)]
    async fn times(id: u64) -> u64 {
        CONST.add();
        id * N
    }
}

struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    #[cached(ttl = 300)]
    async fn len(text: &'a str) -> usize {
        LIFETIME.add();
        text.len()
    }
}

#[tokio::test]
async fn parameters_of_the_impl() {
    twice_and_other!(Holder::<u32>::start(1) => 1, Holder::<u32>::start(2) => 2);
    loads(2, &TYPE);
    assert_eq!(Holder(0_u8).0, 0);
    twice_and_other!(Times::<2>::times(3) => 6, Times::<3>::times(3) => 9);
    loads(2, &CONST);
    twice_and_other!(Text::len("one") => 3, Text::len("three") => 5);
    loads(2, &LIFETIME);
    assert_eq!(Text("one").0, "one");
}

const SHORT: Duration = lives::SEVEN;

mod lives {
    pub(super) const SEVEN: std::time::Duration = std::time::Duration::from_secs(7);
}

static LIFE: Loads = Loads::new();

struct Lives<const TTL: u64>;

impl<const TTL: u64> Lives<TTL> {
    const LIFE: Duration = Duration::from_secs(TTL);

    #[cached(ttl = Duration::from_secs(TTL * 10), jitter = Duration::ZERO, skip(self))]
    async fn of_method(&self, id: u64) -> u64 {
        LIFE.add();
        id
    }

    #[cached(ttl = Duration::from_secs(TTL * 10))]
    async fn of_type(id: u64) -> u64 {
        LIFE.add();
        Self::same(id)
    }

    const fn same(id: u64) -> u64 {
        id
    }

    #[cached(ttl = Self::LIFE * 10, wait = SHORT)]
    async fn by_constant(id: u64) -> u64 {
        LIFE.add();
        id
    }

    #[cached(ttl = Duration::from_secs(TTL * 10), detach = false, refresh = "inline")]
    async fn told(id: u64) -> u64 {
        LIFE.add();
        id
    }

    #[cached(ttl = SHORT, skip(self), name = "inside_impls::bare", detach = false)]
    async fn bare(&self, id: u64) -> u64 {
        id
    }

    #[cached(ttl = lives::SEVEN, skip(self), name = "inside_impls::path", detach = false)]
    async fn path(&self, id: u64) -> u64 {
        id
    }
}

/// How long a value is fresh, by what a second call costs after some time.
async fn life<F: Future>(call: impl Fn() -> Call<F>) -> Option<u64> {
    let clock = Clock::manual();
    let cache = Cache::builder().clock(clock.clone()).build();
    with_cache(cache, async {
        call().await;
        for second in 1..=100 {
            clock.advance(Duration::from_secs(1));
            if call().with_outcome().await.1.kind == Kind::Computed {
                return Some(second);
            }
        }
        None
    })
    .await
}

#[tokio::test]
async fn settings_by_parameters_of_the_impl() {
    assert_eq!(life(|| Lives::<2>.of_method(1)).await, Some(20));
    assert_eq!(life(|| Lives::<3>.of_method(1)).await, Some(30));
    assert_eq!(life(|| Lives::<2>::of_type(1)).await, Some(20));
    assert_eq!(life(|| Lives::<3>::by_constant(1)).await, Some(30));
    assert_eq!(life(|| Lives::<2>::told(1)).await, Some(20));
    loads(10, &LIFE);
}

#[tokio::test]
async fn a_constant_beside_the_impl() {
    assert_eq!(life(|| Lives::<2>.bare(1)).await, Some(7));
    assert_eq!(life(|| Lives::<2>.path(1)).await, Some(7));
    let audit = herdless::audit();
    let ttl = |identity| audit.functions().iter().find(|one| one.identity == identity).unwrap().ttl;
    assert_eq!(ttl("inside_impls::path:v1").span(), Some(SHORT), "this can be no parameter");
    assert_eq!(ttl("inside_impls::bare:v1").expression(), Some("SHORT"));
    assert_eq!(ttl("inside_impls::bare:v1").span(), None, "this can");
}

static BLOCK: Loads = Loads::new();
static LENT: Loads = Loads::new();

macro_rules! whole {
    ($name:ident, $ty:ty, $body:block) => {
        #[cached(ttl = 300)]
        async fn $name(_id: u32) -> $ty $body
    };
}

macro_rules! lent {
    ($name:ident, $ty:ty) => {
        #[cached(ttl = 300, detach = true)]
        async fn $name(text: $ty, tail: &'static str) -> usize {
            LENT.add();
            text.len() + tail.len()
        }
    };
}

whole!(block, u32, {
    BLOCK.add();
    7
});
lent!(lent_again, &str);

#[tokio::test]
async fn fragments_of_a_macro() {
    twice_and_other!(block(1) => 7, block(2) => 7);
    loads(2, &BLOCK);
    twice_and_other!(lent_again("a", "b") => 2, lent_again("aa", "b") => 3);
    loads(2, &LENT);
}
