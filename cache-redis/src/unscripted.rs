//! Every step by plain commands, for an account that may not run scripts.
//!
//! The records are the scripts' own, so that both kinds of process share a key. What is lost is that
//! a step is one: between a look and what follows it, others may do something. So
//!
//! - a lease is taken by `SET NX PX` and ends by lapsing, never by a delete that might hit somebody
//!   else's by then; nobody takes one over: who has waited for long enough loads without one;
//! - a commit looks at generation and version first, and then stores: a change that comes between
//!   the two is overwritten, until the entry ends;
//! - `expire` may overwrite an entry that was stored between its look and its write.

mod keys;
mod records;

use std::time::Duration;

use cache_core::store::{
    Begin, Begun, Committed, Generation, Load, Mark, Next, Replacement, Shape, Token,
};
use cache_core::{Error, Timestamp};
use futures_util::future::try_join3;

use crate::reply::millis;
pub(crate) use keys::Keys;
use keys::Standing;
use records::{begun_at, end_of, stands};

pub(crate) async fn begin(keys: Keys<'_>, begin: Begin) -> Result<Begun, Error> {
    let Standing { now, entry, generation, marker, holder } = keys.look(begin.shape).await?;
    let can_wait = begin.refresh || begin.last_resort && marker.has_failed;
    let unlocked = !can_wait && marker.unlocks > now;
    let others = holder.filter(|holder| holder.token != begin.token);
    let next = if let Some(entry) = entry.filter(|entry| begun_at(entry) > begin.after) {
        Next::Entry(entry)
    } else if can_wait && marker.till > now {
        Next::Failing(marker.till.since(now))
    } else if unlocked || !begin.exclusive {
        lead(&keys, begin, now, false).await
    } else if let Some(holder) = others {
        if begin.over == Some(holder.token) {
            lead(&keys, begin, now, false).await // waited for long enough: beside it, not instead
        } else {
            holder.holds()
        }
    } else {
        compete(&keys, begin, now).await?
    };
    Ok(Begun { time: now, generation, next })
}

/// Tries to get the lease that nobody seemed to hold.
async fn compete(keys: &Keys<'_>, begin: Begin, now: Timestamp) -> Result<Next, Error> {
    if keys.take(begin.token, begin.lease).await? {
        return Ok(lead(keys, begin, now, true).await);
    }
    match keys.holder().await? {
        // Asked twice, answered once.
        Some(holder) if holder.token == begin.token => Ok(lead(keys, begin, now, true).await),
        Some(holder) => Ok(holder.holds()),
        // A lease that would never lapse, or is no lease at all: from now on it lapses.
        None => {
            keys.extend("lease", begin.lease).await?;
            Ok(Next::Held { by: Token(0), takeovers: 0, lapses: begin.lease })
        }
    }
}

/// The mark is for a count only: a load does not fail for want of it.
async fn lead(keys: &Keys<'_>, begin: Begin, now: Timestamp, leased: bool) -> Next {
    let running = keys.note_load(begin.token, now, begin.lease).await.unwrap_or(1);
    Next::Lead { leased, running }
}

pub(crate) async fn renew(keys: Keys<'_>, load: Load, lease: Duration) -> Result<bool, Error> {
    keys.note_load(load.token, keys.now().await?, lease).await?;
    if !load.leased {
        return Ok(true);
    }
    match keys.holder().await? {
        Some(holder) if holder.token == load.token => {
            keys.extend("lease", lease).await.map(|()| true)
        }
        Some(_) => Ok(false),
        None if keys.generation().await? != load.generation => Ok(false),
        None => keys.take(load.token, lease).await,
    }
}

pub(crate) async fn commit(
    keys: Keys<'_>,
    load: Load,
    shape: Shape,
    entry: &[u8],
) -> Result<Committed, Error> {
    let standing = keys.look(shape).await?;
    let verdict = if standing.generation != load.generation {
        Ok(Committed::Superseded)
    } else if is_too_late(load, standing.now) {
        Ok(Committed::TooLate)
    } else if standing.entry.is_some_and(|there| begun_at(&there) > load.begun) {
        Ok(Committed::Older)
    } else {
        store(&keys, shape, entry, standing.now).await.map(|()| Committed::Stored)
    };
    keys.leave(load.token).await;
    verdict
}

/// Fields nobody can read any more leave; the key lives as long as what remains.
async fn store(keys: &Keys<'_>, shape: Shape, entry: &[u8], now: Timestamp) -> Result<(), Error> {
    let ours = shape.to_string();
    let kind: String = keys.get(&keys.entry("TYPE")).await?;
    if kind != "hash" && kind != "none" {
        keys.tell(&keys.entry("DEL")).await?;
    }
    let fields: Vec<Vec<u8>> = keys.get(&keys.entry("HKEYS")).await?;
    let mut end = end_of(entry);
    for other in fields.iter().filter(|field| field.as_slice() != ours.as_bytes()) {
        match keys.field(other).await?.filter(|bytes| stands(bytes, now)) {
            Some(bytes) => end = end.max(end_of(&bytes)),
            None => keys.tell(keys.entry("HDEL").arg(other)).await?,
        }
    }
    keys.put(ours.as_bytes(), entry, end).await?;
    keys.tell(&keys.part("DEL", "mark")).await
}

pub(crate) async fn abandon(keys: Keys<'_>, load: Load, mark: Mark) -> Result<bool, Error> {
    let (generation, now, marker) = try_join3(keys.generation(), keys.now(), keys.marker()).await?;
    let current = generation == load.generation && !is_too_late(load, now);
    let left = match marker.after(mark, load.begun, now).filter(|_| current) {
        Some((text, life)) => {
            keys.tell(keys.part("SET", "mark").arg(text).arg("PX").arg(millis(life))).await
        }
        None => Ok(()),
    };
    keys.leave(load.token).await;
    left.map(|()| current)
}

pub(crate) async fn invalidate(keys: Keys<'_>) -> Result<(), Error> {
    let removed = remove(&keys).await;
    keys.wake().await;
    removed
}

/// The generation first: what is loaded by now and looks later is not stored. A server out of
/// memory refuses that, and still deletes.
async fn remove(keys: &Keys<'_>) -> Result<(), Error> {
    let superseded = keys.supersede().await;
    keys.tell(keys.entry("DEL").arg(keys.name("lease")).arg(keys.name("mark"))).await?;
    superseded
}

pub(crate) async fn prime(keys: Keys<'_>, shape: Shape, entry: &[u8]) -> Result<(), Error> {
    let primed = async {
        remove(&keys).await?;
        keys.put(shape.to_string().as_bytes(), entry, end_of(entry)).await
    };
    let primed = primed.await;
    keys.wake().await;
    primed
}

pub(crate) async fn replace(keys: Keys<'_>, fields: &[Replacement]) -> Result<bool, Error> {
    let there: Vec<(Vec<u8>, Vec<u8>)> = keys.get(&keys.entry("HGETALL")).await?;
    let as_read = |(name, bytes): &(Vec<u8>, Vec<u8>)| {
        fields.iter().any(|field| field.field == *name && field.old == *bytes)
    };
    if there.len() != fields.len() || !there.iter().all(as_read) {
        return Ok(false);
    }
    keys.supersede().await?;
    keys.tell(keys.part("DEL", "lease").arg(keys.name("mark"))).await?;
    let end = fields.iter().map(|field| end_of(&field.new)).max().unwrap_or_default();
    for field in fields {
        keys.put(&field.field, &field.new, end).await?;
    }
    keys.wake().await;
    Ok(true)
}

/// The generation that would have told of a change may have left by now.
fn is_too_late(load: Load, now: Timestamp) -> bool {
    now.since(load.begun) > Generation::LIFE
}
