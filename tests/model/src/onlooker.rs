//! An onlooker compares what happens with what must never happen, and keeps notes that nobody in the
//! model can read.

use crate::promises::Promise;
use crate::world::{Load, Phase, Stamp, World};

impl World {
    fn breaks(&mut self, promise: Promise) {
        self.broken.get_or_insert(promise);
    }

    /// The value of a load that began then is about to be stored.
    pub(crate) fn check_store(&mut self, begun: Stamp) {
        if begun < self.notes.changed {
            self.breaks(Promise::Generation);
        }
        if begun < self.store.entry {
            self.breaks(Promise::BegunLater);
        }
        if begun < self.notes.newest {
            self.breaks(Promise::Newest);
        }
        self.notes.newest = self.notes.newest.max(begun);
    }

    /// A caller that came after the removal `floor` gets the value of a load that began then.
    pub(crate) fn check_value(&mut self, begun: Stamp, floor: Stamp) {
        if begun < floor {
            self.breaks(Promise::Removed);
        }
    }

    /// Every lease that nothing has ended is still its holder's.
    pub(crate) fn check_leases(&mut self) {
        let lease = self.store.lease;
        let robbed = |load: &Load| load.leased && load.keeps && load.token != lease;
        let robbed = self.processes.iter().any(
            |process| matches!(&process.phase, Phase::Load { load: Some(load), .. } if robbed(load)),
        );
        if robbed {
            self.breaks(Promise::Lease);
        }
    }
}
