//! The changes of many keys in one call: those that are named, and all of a function.

use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::key::{Family, Key};
use crate::tiers::Tiers;

/// So many keys share one budget for the store.
const KEYS_A_BUDGET: usize = 1000;

impl Tiers {
    /// Removes the values of these keys everywhere.
    pub(crate) async fn invalidate_many(&self, keys: Vec<Key>) -> Result<(), Error> {
        let asked = keys.len();
        let (sound, unsound): (Vec<_>, Vec<_>) = keys.into_iter().partition(Key::is_sound);
        sound.iter().for_each(|key| self.refuse(key));
        let mut failures: Vec<Error> = unsound.iter().map(|_| super::unsound()).collect();
        let mut queued = 0;
        if let Some(remote) = &self.remote {
            let tags = sound.iter().map(|key| Arc::from(self.tag(key))).collect();
            for (tag, error) in remote.invalidate_each(tags, self.budget_for(sound.len())).await {
                queued += usize::from(error.is_transient() && remote.owe(&tag));
                failures.push(error);
            }
        }
        summed_up(asked, failures, queued)
    }

    /// One budget for every thousand keys begun.
    fn budget_for(&self, keys: usize) -> Duration {
        let budgets = u32::try_from(keys.div_ceil(KEYS_A_BUDGET)).unwrap_or(u32::MAX);
        self.defaults.io_budget.saturating_mul(budgets)
    }

    /// Refuses every load of this process, and drops what is kept of the value.
    fn refuse(&self, key: &Key) {
        self.holds.clear(key);
        self.flights.refuse(key.as_str(), || {
            if let Some(remote) = &self.remote {
                remote.forget(&self.tag(key));
            }
            self.local.remove(key.as_str());
        });
    }

    /// Removes all values of a function everywhere.
    pub(crate) async fn invalidate_family(&self, family: Family) -> Result<(), Error> {
        self.refuse_family(&family);
        let Some(remote) = &self.remote else { return Ok(()) };
        let family = Arc::new(family);
        let swept = remote.sweep(&family).await;
        swept.map_err(|error| {
            let queued = error.is_transient() && remote.owe_family(&family);
            let then = if queued { "it is tried again behind" } else { "it is not tried again" };
            let what = format!("not every value of the function was found and removed; {then}");
            Error::new(error.kind(), what).because(error)
        })
    }

    /// Loads first: what has not landed by now does not land any more, and what has is found below.
    fn refuse_family(&self, family: &Family) {
        self.holds.clear_all(|key| family.has(key.as_str()));
        self.flights.refuse_all(|key| family.has(key));
        self.local.retain(|key| !family.has(key));
        if let Some(remote) = &self.remote {
            remote.forget_family(family);
        }
    }
}

/// What failed, in one error. Its kind is that of a failure that no repetition mends, if there is one.
fn summed_up(asked: usize, failures: Vec<Error>, queued: usize) -> Result<(), Error> {
    let failed = failures.len();
    let for_good = failures.iter().position(|error| !error.is_transient());
    let Some(error) = failures.into_iter().nth(for_good.unwrap_or(0)) else { return Ok(()) };
    if asked == 1 {
        return Err(error);
    }
    let kind: ErrorKind = error.kind();
    let what =
        format!("{failed} of {asked} keys were not invalidated; {queued} of them are queued");
    Err(Error::new(kind, what).because(error))
}
