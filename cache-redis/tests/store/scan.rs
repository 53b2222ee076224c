//! Looks at all keys.

use std::collections::BTreeSet;

use cache_core::Error;
use cache_core::store::Store as _;
use cache_redis::RedisStore;

use crate::support::{KEY, lab};

/// Every name that begins with `prefix`, of every primary.
pub(crate) async fn names(store: &RedisStore, prefix: &str) -> Result<BTreeSet<String>, Error> {
    let mut names = BTreeSet::new();
    for primary in store.scan().await?.primaries {
        let mut next = Some(primary);
        while let Some(from) = next {
            let scanned = store.scan_on(prefix, &from).await?;
            names.extend(scanned.names);
            next = scanned.next;
        }
    }
    Ok(names)
}

#[tokio::test]
async fn every_name_with_the_prefix_is_told_and_no_other() {
    let mut lab = lab().await;
    lab.store.ready().await.unwrap();
    let odd = ["*", "?", "[a-z]", "[^q]", "\\*", "\\"];
    let plain = ["a", "*b", "b"];
    for ending in odd.into_iter().chain(plain) {
        lab.raw::<()>(&format!("SET {KEY}{ending}:1 x")).await;
    }
    for prefix in odd {
        let prefix = format!("{KEY}{prefix}:");
        let expected = BTreeSet::from([format!("{prefix}1")]);
        assert_eq!(names(&lab.store, &prefix).await.unwrap(), expected);
    }
    let mut binary = redis::cmd("SET");
    binary.arg([KEY.as_bytes(), &[0xFF]].concat()).arg("x");
    binary.exec_async(&mut lab.redis).await.unwrap();
    assert_eq!(names(&lab.store, KEY).await.unwrap().len(), 9, "what is no text is not ours");
    assert!(names(&lab.store, "{nobody").await.unwrap().is_empty());
}

#[tokio::test]
async fn many_names_take_many_steps() {
    let mut lab = lab().await;
    let mut pipe = redis::pipe();
    for one in 0..5000 {
        pipe.cmd("SET").arg(format!("{KEY}{one}")).arg("x").ignore();
    }
    pipe.exec_async(&mut lab.redis).await.unwrap();
    assert_eq!(names(&lab.store, KEY).await.unwrap().len(), 5000);
}
