//! Removing all values of a function: two looks at all keys of every primary.
//!
//! The first look changes the generation of every key that has an entry, a lease or a load mark, so
//! that no load of it that runs is stored any more. A load whose value is committed while that look
//! passes may be seen in neither form; its entry is there from then on, so the second look finds it.
//! That one leaves alone what the first has seen: what was stored there meanwhile began later.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::Remote;
use super::each::each;
use crate::error::{Error, ErrorKind};
use crate::key::Family;
use crate::store::{Cursor, Scan};

/// Looks in a row, while nothing moves from one primary to another.
const LOOKS: u32 = 2;
/// So many looks that came to nothing, until it is given up for now.
const TRIES: u32 = 3;
/// So many looks in all, where slots keep moving.
const MOST: u32 = 12;
/// Before a look is tried again, longer each time.
const PAUSE: Duration = Duration::from_millis(50);
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// Sixteen bytes of a key's digest: a look at a million keys remembers all it has done.
type Done = HashSet<[u8; 16]>;

impl Remote {
    /// Removes all values of the function from the store. Wins over every load of one of them that
    /// began before, as far as it has a lease or a load mark or is stored.
    pub(crate) async fn sweep(self: &Arc<Self>, family: &Family) -> Result<(), Error> {
        let mut done = Done::new();
        let (mut looks, mut tries, mut layout) = (0, 0, None);
        for _ in 0..=MOST {
            let scan = self.patiently(self.store.scan()).await;
            if let Ok(scan) = &scan
                && layout.replace(scan.layout) != Some(scan.layout)
            {
                looks = 0; // keys may have gone round the last look,
                done.clear(); // and a successor may not have heard of what was done
            }
            if looks == LOOKS && scan.is_ok() {
                return Ok(());
            }
            let looked = match scan {
                Ok(scan) => self.look_through(scan, family, &mut done).await,
                Err(error) => Err(error),
            };
            match looked {
                Ok(()) => looks += 1,
                Err(error) => {
                    self.note(&family.prefix(), &error);
                    (looks, tries) = (0, tries + 1);
                    if !error.is_transient() || tries == TRIES {
                        return Err(error);
                    }
                    sleep(PAUSE * tries).await;
                }
            }
        }
        Err(Error::new(ErrorKind::Moved, "keys keep moving while they are looked for"))
    }

    /// One look at every primary. What can be done is done, also where another part fails.
    async fn look_through(
        self: &Arc<Self>,
        scan: Scan,
        family: &Family,
        done: &mut Done,
    ) -> Result<(), Error> {
        let mut failure = None;
        for primary in scan.primaries {
            let looked = self.look_at(primary, family, done).await;
            failure = worse(failure, looked.err());
        }
        failure.map_or(Ok(()), Err)
    }

    async fn look_at(
        self: &Arc<Self>,
        primary: Cursor,
        family: &Family,
        done: &mut Done,
    ) -> Result<(), Error> {
        let prefix = family.prefix();
        let (mut next, mut failure) = (Some(primary), None);
        while let Some(from) = next {
            let scanned = self.patiently(self.store.scan_on(&prefix, &from)).await?;
            let tags = scanned.names.iter().filter_map(|name| family.tag_of(name));
            let tags: HashSet<&str> = tags.filter(|tag| !done.contains(&digest(tag))).collect();
            let invalidate = |tag: Arc<str>| {
                let remote = Arc::clone(self);
                async move {
                    let answer = remote.patiently(remote.store.invalidate(&tag)).await;
                    answer.map(|()| digest(&tag))
                }
            };
            let tags: Vec<Arc<str>> = tags.into_iter().map(Arc::from).collect();
            let answered = |answer| match answer {
                Ok(digest) => drop(done.insert(digest)),
                Err(error) => failure = worse(failure.take(), Some(error)),
            };
            each(tags, invalidate, answered).await;
            next = scanned.next;
        }
        failure.map_or(Ok(()), Err)
    }

    async fn patiently<T>(
        &self,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let silent = |_| Err(Error::new(ErrorKind::Timeout, "the store has not answered in time"));
        timeout(PATIENCE, answer).await.unwrap_or_else(silent)
    }
}

/// The error that no repetition mends, if one of them is such.
fn worse(one: Option<Error>, other: Option<Error>) -> Option<Error> {
    match (one, other) {
        (Some(one), Some(other)) if one.is_transient() && !other.is_transient() => Some(other),
        (one, other) => one.or(other),
    }
}

fn digest(tag: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(tag.as_bytes()).as_bytes()[..16]);
    short
}
