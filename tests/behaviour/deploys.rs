//! Two deploys of one function side by side on one Redis: none reads what the other wrote, none
//! makes the other load again. Casebook C01.

use std::fmt::Debug;
use std::time::Duration;

use herdless::{Cache, Event, Key, Policy};
use serde::{Serialize, de::DeserializeOwned};

use crate::backend::{World, within};

/// Types as successive deploys have them, each under the same name.
macro_rules! deploys {
    ($($module:ident: $item:item)*) => {$(
        mod $module {
            use serde::{Deserialize, Serialize};

            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            $item
        }
    )*};
}

deploys! {
    first: pub(super) struct User { pub(super) id: u32, pub(super) group: u32, pub(super) name: String }
    added: pub(super) struct User {
        pub(super) id: u32,
        pub(super) group: u32,
        pub(super) name: String,
        #[serde(default)]
        pub(super) vip: bool,
    }
    swapped: pub(super) struct User { pub(super) group: u32, pub(super) id: u32, pub(super) name: String }
    renamed: pub(super) struct User { pub(super) id: u32, pub(super) owner: u32, pub(super) name: String }
    free_first: pub(super) enum Plan { Free, Paid }
    paid_first: pub(super) enum Plan { Paid, Free }
    trial_added: pub(super) enum Plan { Trial, Free, Paid }
}

/// One deploy: a cache of its own and what its loader returns.
struct Deploy<T> {
    cache: Cache,
    value: T,
}

impl<T: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static>
    Deploy<T>
{
    async fn call(&self, key: &Key) {
        let policy = Policy::ttl(Duration::from_secs(60));
        let load = async || Ok::<_, String>(self.value.clone());
        let value = within(self.cache.get_or_load(key, &policy, load)).await;
        assert_eq!(value.as_ref(), Ok(&self.value));
    }

    fn loads(&self) -> u64 {
        self.cache.count(Event::Load)
    }
}

/// Each loads once, both hit from then on, and what one invalidates is gone for both.
async fn live_side_by_side<A, B>(world: &World, old: A, new: B)
where
    A: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static,
    B: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let key = Key::for_function("shop::user").arg(&7).finish();
    let old = Deploy { cache: world.elsewhere(), value: old };
    let new = Deploy { cache: world.elsewhere(), value: new };
    for _ in 0..5 {
        old.call(&key).await;
        new.call(&key).await;
    }
    assert_eq!((old.loads(), new.loads()), (1, 1));
    for invalidates in [&old.cache, &new.cache] {
        let before = (old.loads(), new.loads());
        within(invalidates.invalidate_key(&key)).await.unwrap();
        for _ in 0..3 {
            new.call(&key).await;
            old.call(&key).await;
        }
        assert_eq!((old.loads(), new.loads()), (before.0 + 1, before.1 + 1));
    }
    within(old.cache.invalidate_key(&key)).await.unwrap();
}

#[tokio::test]
async fn c01_two_deploys_load_once_each_and_read_their_own() {
    let world = World::redis();
    let name = || "Ada".to_owned();
    let first = || first::User { id: 1, group: 2, name: name() };
    live_side_by_side(&world, first(), added::User { id: 1, group: 2, name: name(), vip: true })
        .await;
    live_side_by_side(&world, first(), swapped::User { group: 2, id: 1, name: name() }).await;
    live_side_by_side(&world, first(), renamed::User { id: 1, owner: 9, name: name() }).await;
    live_side_by_side(&world, free_first::Plan::Free, paid_first::Plan::Free).await;
    live_side_by_side(&world, free_first::Plan::Paid, trial_added::Plan::Trial).await;
    live_side_by_side(
        &world,
        vec![Some(first())],
        vec![Some(renamed::User { id: 1, owner: 9, name: name() })],
    )
    .await;
    world.is_idle().await;
}

/// The same type in another module, as after a tidy-up, is no other shape.
#[tokio::test]
async fn c01_a_type_that_moved_keeps_its_values() {
    deploys! {
        here: pub(super) struct User { pub(super) id: u32 }
        there: pub(super) struct User { pub(super) id: u32 }
    }
    let world = World::redis();
    let key = Key::for_function("shop::user").arg(&7).finish();
    let old = Deploy { cache: world.elsewhere(), value: here::User { id: 1 } };
    let new = Deploy { cache: world.elsewhere(), value: there::User { id: 1 } };
    old.call(&key).await;
    new.call(&key).await;
    assert_eq!((old.loads(), new.loads()), (1, 0));
}
