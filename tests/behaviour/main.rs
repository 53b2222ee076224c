//! What callers of a cached function may rely on, on the embedded default and on a real Redis.

#[path = "../support/again.rs"]
mod again;
#[path = "../support/fleet.rs"]
mod fleet;
#[path = "../support/log.rs"]
mod log;
#[path = "../support/proxy.rs"]
mod proxy;
#[path = "../support/server.rs"]
mod server;

mod backend;
mod budget;
mod changes;
mod crowded;
mod cycle_of_life;
mod departures;
mod deploys;
mod early_ends;
mod errors;
mod four_seconds;
mod groups;
mod ladder;
mod late;
mod lies;
mod lives;
mod looks;
mod many;
mod nested;
mod outage;
mod panics;
mod parts;
mod reads_only;
mod recursion;
mod refreshes;
mod scopes;
mod servers;
mod shutdown;
mod takeovers;
mod timeline;
mod timeouts;
mod told;
mod trouble;
mod unheard;
mod unreadable;
mod values;
