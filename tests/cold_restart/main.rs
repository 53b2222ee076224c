//! A cold restart under load: something goes wrong, it ends, and the shop has to come back by
//! itself.
//!
//! Caches fail in a way of their own: what is lost floods the backend, the flood makes callers go
//! away before they are answered, and nobody is left to store what would end the flood. Such a
//! failure outlasts its cause ("Metastable Failures in Distributed Systems", HotOS 2021). So what is
//! asked is not how deep the hit ratio falls, but whether, within twice the time in which the
//! backend could load every key once, it is back at nine tenths of before for good, and whether the
//! backend is then asked for as much as before.
//!
//! Everything but the backend and the callers is real; time is tokio's, paused, and so is the clock
//! of the cache. Callers and keys are the same in every run. Which of several waiters tokio wakes
//! first is not, nor are the coins of `xfetch`: numbers differ by a few in a hundred.

mod setting;

mod callers;
mod scenario;

mod cached;
mod controls;
mod source;

mod backend;
mod gauge;

mod failures;
mod inline;
mod recovery;
