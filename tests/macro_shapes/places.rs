//! Where a function stands: visibility, blocks, names that others have too; and how big it is.

use std::marker::PhantomData;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;

use herdless::cached;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::log::Log;
use crate::{Loads, loads, twice_and_other};

mod visible {
    pub mod deeper {
        use herdless::cached;

        #[cached(ttl = 300)]
        pub(in crate::places) async fn in_path(id: u32) -> u32 {
            id + 1
        }
        #[cached(ttl = 300)]
        pub(super) async fn to_parent(id: u32) -> u32 {
            id + 2
        }
        #[cached(ttl = 300)]
        pub(self) async fn own(id: u32) -> u32 {
            id + 3
        }
        #[cached(ttl = 300)]
        pub(crate) async fn in_crate(id: u32) -> u32 {
            own(id).await + super::to_parent_of(id).await
        }
    }

    pub async fn to_parent_of(id: u32) -> u32 {
        deeper::to_parent(id).await
    }
}

#[tokio::test]
async fn visibilities() {
    twice_and_other!(visible::deeper::in_path(1) => 2, visible::deeper::in_path(2) => 3);
    twice_and_other!(visible::deeper::in_crate(1) => 7, visible::deeper::in_crate(2) => 9);
}

static BLOCKS: Loads = Loads::new();

/// Two functions that the compiler gives one name.
async fn in_two_blocks() -> [u32; 4] {
    let [one, two] = {
        #[cached(ttl = 300)]
        async fn get(id: u32) -> u32 {
            BLOCKS.add();
            id + 1
        }
        [get(1).await, get(1).await]
    };
    let [three, four] = {
        #[cached(ttl = 300)]
        async fn get(id: u32) -> u32 {
            BLOCKS.add();
            id + 2
        }
        [get(1).await, get(1).await]
    };
    [one, two, three, four]
}

const CHILD: &str = "HERDLESS_PLACES_CHILD";

/// In a process of its own, since the twins of a program are logged at its first call.
#[tokio::test]
async fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let (log, _guard) = Log::here();
    assert_eq!(in_two_blocks().await, [2, 2, 3, 3]);
    loads(4, &BLOCKS);
    for event in log.lines() {
        println!("EVENT {event}");
    }
}

// K06: the functions that cannot be told apart.
#[test]
fn twins_run_uncached_and_are_logged() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "places::child", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(child.stdout).unwrap();
    assert!(child.status.success(), "{printed}");
    let about = |line: &&str| line.contains("EVENT") && line.contains("one identity");
    let lines: Vec<_> = printed.lines().filter(about).collect();
    assert_eq!(lines.len(), 1, "{printed}");
    assert_eq!(lines[0].matches("places.rs:").count(), 2, "both places: {}", lines[0]);
}

/// A type parameter that turns out to be a `Result`: its errors would be stored.
struct Source<Item>(PhantomData<Item>);

static SOURCE: Loads = Loads::new();

impl<Item> Source<Item>
where
    Item: From<u32> + Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    #[cached(ttl = 300, detach = false, refresh = "inline")]
    async fn get(id: u32) -> Item {
        SOURCE.add();
        Item::from(id)
    }
}

/// `From` for a `Result` has to be somebody's own error's business.
#[derive(Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
struct Zero;

trait Answers {
    fn answer(id: u32) -> Self;
}

impl Answers for Result<u32, Zero> {
    fn answer(id: u32) -> Self {
        if id == 0 { Err(Zero) } else { Ok(id) }
    }
}

struct Asked<Item>(PhantomData<Item>);

static ASKED: Loads = Loads::new();

impl<Item> Asked<Item>
where
    Item: Answers + Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    #[cached(ttl = 300, detach = false, refresh = "inline")]
    async fn get(id: u32) -> Item {
        ASKED.add();
        Item::answer(id)
    }
}

// M08: an error is never stored.
#[tokio::test]
async fn a_result_behind_a_type_parameter_runs_uncached() {
    twice_and_other!(Source::<u64>::get(1) => 1, Source::<u64>::get(2) => 2);
    loads(2, &SOURCE);
    let (log, _guard) = Log::here();
    for id in [0, 0, 1, 1] {
        let answer = if id == 0 { Err(Zero) } else { Ok(id) };
        assert_eq!(Asked::<Result<u32, Zero>>::get(id).await, answer);
    }
    loads(4, &ASKED);
    let logged = log.lines().iter().filter(|event| event.contains("type parameter")).count();
    assert_eq!(logged, 1);
}

struct Meter {
    rate: u64,
}

static METERS: Loads = Loads::new();

impl Meter {
    #[cached(ttl = 300, key = "{self.rate}")]
    async fn boxed(self: Box<Self>) -> u64 {
        METERS.add();
        self.rate
    }

    #[cached(ttl = 300, key = "{self.rate}")]
    async fn pinned(mut self: Pin<&mut Self>) -> u64 {
        METERS.add();
        self.rate += 1;
        self.rate
    }

    #[cached(ttl = 300, key = "{self.rate}")]
    async fn lent(self: &Arc<Self>) -> u64 {
        METERS.add();
        self.rate
    }

    #[cached(ttl = 300, key = "{self.rate}:{by}")]
    async fn moved(mut self, by: &mut u64) -> u64 {
        METERS.add();
        self.rate += *by;
        *by = self.rate;
        self.rate
    }
}

#[tokio::test]
async fn kinds_of_self() {
    let meter = |rate| Meter { rate };
    twice_and_other!(Box::new(meter(1)).boxed() => 1, Box::new(meter(2)).boxed() => 2);
    twice_and_other!(Pin::new(&mut meter(1)).pinned() => 2, Pin::new(&mut meter(2)).pinned() => 3);
    twice_and_other!(Arc::new(meter(1)).lent() => 1, Arc::new(meter(2)).lent() => 2);
    twice_and_other!(meter(1).moved(&mut 1) => 2, meter(1).moved(&mut 2) => 3);
    loads(8, &METERS);
}

struct Block([u8; 65536]);

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

async fn sum_of(block: Block) -> u64 {
    tokio::task::yield_now().await;
    block.0.iter().map(|byte| u64::from(*byte)).sum()
}

static SUM: Loads = Loads::new();

#[cached(ttl = 300)]
async fn sum(block: Block) -> u64 {
    SUM.add();
    tokio::task::yield_now().await;
    block.0.iter().map(|byte| u64::from(*byte)).sum()
}

impl Block {
    #[cached(ttl = 300, key = "{self}")]
    async fn sum(self) -> u64 {
        SUM.add();
        tokio::task::yield_now().await;
        self.0.iter().map(|byte| u64::from(*byte)).sum()
    }
}

// M13: the future is the plain one, one copy of the arguments, and little else.
#[tokio::test]
async fn sizes() {
    let block = |byte| Block([byte; 65536]);
    let most = size_of_val(&sum_of(block(1))) + size_of::<Block>() + 4096;
    let (free, method) = (size_of_val(&sum(block(1))), size_of_val(&block(1).sum()));
    assert!(free <= most && method <= most, "{free} and {method} of {most} bytes");
    let on_heap = |byte| Box::pin(sum(block(byte)));
    twice_and_other!(on_heap(1) => 65536, on_heap(2) => 131_072);
    twice_and_other!(Box::pin(block(1).sum()) => 65536, Box::pin(block(2).sum()) => 131_072);
    loads(4, &SUM);
}

/// Taken by nobody else.
#[allow(non_upper_case_globals, dead_code, reason = "a name that the attribute once invented")]
static argument_0: u8 = 0;

macro_rules! text {
    () => {
        &str
    };
}

#[cached(ttl = 300)]
async fn of_a_pattern((a, b): (u32, u32)) -> u32 {
    a * 10 + b
}

#[cached(ttl = 300)]
async fn behind_a_type_macro(text: text!(), loads: u32) -> usize {
    text.len() + loads as usize
}

#[tokio::test]
async fn names_and_types_that_are_not_seen() {
    assert_eq!((of_a_pattern((1, 2)).await, of_a_pattern((3, 4)).await), (12, 34));
    assert_eq!((behind_a_type_macro("a", 1).await, behind_a_type_macro("bc", 1).await), (2, 3));
}
