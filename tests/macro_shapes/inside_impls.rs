//! Functions without `self` that use what the `impl` around them declares, and what a `macro_rules`
//! hides in invisible groups.

use herdless::cached;

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
