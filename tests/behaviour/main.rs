//! What callers of a cached function may rely on, on the embedded default and on a real Redis.

#[path = "../support/again.rs"]
mod again;
#[path = "../support/proxy.rs"]
mod proxy;
#[path = "../support/server.rs"]
mod server;

mod backend;
mod changes;
mod crowded;
mod cycle_of_life;
mod departures;
mod deploys;
mod early_ends;
mod errors;
mod four_seconds;
mod ladder;
mod lies;
mod lives;
mod nested;
mod outage;
mod panics;
mod recursion;
mod refreshes;
mod scopes;
mod servers;
mod takeovers;
mod timeline;
mod timeouts;
mod trouble;
mod unheard;
mod unreadable;
mod values;
