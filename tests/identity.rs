//! Functions that share an identity are known before the first of them is called: all run uncached,
//! their places are logged once, and the audit finds them.

#[path = "support/log.rs"]
mod log;

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};

use herdless::{Cache, Check, ErrorKind, Kind, audit, cached, with_cache};
use tracing::level_filters::LevelFilter;

use log::Log;

static LOADS: AtomicU32 = AtomicU32::new(0);

fn load(answer: u32) -> u32 {
    LOADS.fetch_add(1, Ordering::SeqCst);
    answer
}

mod billing {
    #[herdless::cached(ttl = 300, name = "rows")]
    pub(crate) async fn rows(id: u32) -> u32 {
        super::load(id)
    }
}

mod stock {
    #[herdless::cached(ttl = 300, name = "rows")]
    pub(crate) async fn rows(id: u32) -> u32 {
        super::load(id + 1)
    }
    #[herdless::cached(ttl = 300, name = "rows", version = 2)]
    pub(crate) async fn newer(id: u32) -> u32 {
        super::load(id + 2)
    }
    #[herdless::cached(ttl = 300)]
    pub(crate) async fn other(id: u32) -> u32 {
        super::load(id + 3)
    }
}

/// Two functions in two blocks of one function: the compiler gives both one name.
async fn of_two_blocks(first: bool, id: u32) -> u32 {
    if first {
        #[cached(ttl = 300)]
        async fn inner(id: u32) -> u32 {
            load(id + 4)
        }
        inner(id).await
    } else {
        #[cached(ttl = 300)]
        async fn inner(id: u32) -> u32 {
            load(id + 5)
        }
        inner(id).await
    }
}

/// A closure as type argument has the name of every closure in its place.
#[cached(ttl = 300, skip(function))]
async fn with<F: Fn(u32) -> u32>(function: F, id: u32) -> u32 {
    load(function(id))
}

async fn from_another_place(id: u32) -> u32 {
    with(|id| id + 3, id).await
}

fn plus(id: u32) -> u32 {
    id + 10
}

/// Two types of one name: each as wide as its number says.
trait Width {
    const WIDTH: u32;
}

#[cached(ttl = 300)]
async fn width<T: Width>(id: u32) -> u32 {
    load(id * T::WIDTH)
}

/// In an `async fn` they would be told apart.
fn of_two_types(first: bool, id: u32) -> Pin<Box<dyn Future<Output = u32>>> {
    if first {
        struct Row;
        impl Width for Row {
            const WIDTH: u32 = 100;
        }
        Box::pin(width::<Row>(id))
    } else {
        struct Row;
        impl Width for Row {
            const WIDTH: u32 = 200;
        }
        Box::pin(width::<Row>(id))
    }
}

async fn loads_of(call: impl AsyncFn() -> u32) -> (u32, u32) {
    let before = LOADS.load(Ordering::SeqCst);
    let first = call().await;
    assert_eq!(call().await, first);
    (first, LOADS.load(Ordering::SeqCst) - before)
}

#[tokio::test]
async fn all_run_uncached_from_the_first_call_on() {
    let errors = Log::of(LevelFilter::ERROR);
    let guard = tracing::subscriber::set_default(errors.clone());
    with_cache(Cache::builder().build(), async {
        assert_eq!(loads_of(async || stock::other(1).await).await, (4, 1), "nobody else is hurt");
        assert_eq!(loads_of(async || billing::rows(1).await).await, (1, 2), "its twin never ran");
        assert_eq!(loads_of(async || stock::rows(1).await).await, (2, 2));
        assert_eq!(loads_of(async || stock::newer(1).await).await, (3, 1), "another version");
        assert_eq!(loads_of(async || of_two_blocks(true, 1).await).await, (5, 2));
        assert_eq!(loads_of(async || of_two_blocks(false, 1).await).await, (6, 2));
        let refused = billing::rows(1).prime(7).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Key, "nor does a value go from one to the other");
        assert_eq!(stock::rows(1).peek().await.unwrap(), None);
        assert!(stock::rows(1).invalidate().await.is_err());
        assert_eq!(loads_of(async || with(|id| id + 1, 1).await).await, (2, 2), "no name");
        assert_eq!(loads_of(async || with(|id| id + 2, 1).await).await, (3, 2));
        assert_eq!(loads_of(async || from_another_place(1).await).await, (4, 2));
        assert_eq!(loads_of(async || with(plus as fn(u32) -> u32, 1).await).await, (11, 1));
        assert_eq!(loads_of(async || of_two_types(true, 1).await).await, (100, 1), "none else yet");
        assert_eq!(
            loads_of(async || of_two_types(false, 1).await).await,
            (200, 2),
            "not the other's"
        );
        assert_eq!(loads_of(async || of_two_types(true, 1).await).await, (100, 2));
        let (_, outcome) = billing::rows(1).with_outcome().await;
        assert!(outcome.kind == Kind::Bypassed && outcome.degraded, "{outcome:?}");
    })
    .await;
    drop(guard);

    let errors = errors.lines();
    let twins = errors.iter().filter(|line| line.contains("one identity"));
    assert_eq!(twins.count(), 2, "each pair once: {errors:#?}");
    let nameless = errors.iter().filter(|line| line.contains("a closure as type argument"));
    assert_eq!(nameless.count(), 2, "each place once, however often it calls: {errors:#?}");
    let homonyms = errors.iter().filter(|line| line.contains("two type arguments have one name"));
    assert_eq!(homonyms.count(), 1, "{errors:#?}");
    let line = errors.iter().find(|line| line.contains("identity=\"rows\"")).unwrap();
    assert_eq!(line.matches("tests/identity.rs:").count(), 2, "both places: {line}");

    let found = audit().findings();
    let twins = found.iter().filter(|one| one.check() == Check::Duplicate);
    let twins: Vec<_> = twins.map(|one| one.function()).collect();
    let inner = "identity::of_two_blocks::inner:v1";
    assert_eq!(twins, [inner, inner, "rows:v1", "rows:v1"]);
    for one in found.iter().filter(|one| one.check() == Check::Duplicate) {
        let text = one.to_string();
        assert_eq!(text.matches("tests/identity.rs:").count(), 2, "both places: {text}");
        let (here, other) = text.split_once(": ").unwrap();
        assert!(!other.contains(here), "the other one: {text}");
    }
    let nameless = found.iter().filter(|one| one.check() == Check::Nameless);
    assert!(nameless.map(|one| one.function()).eq(["identity::with:v1"]), "{found:?}");
}
