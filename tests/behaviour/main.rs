//! What callers of a cached function may rely on, on the embedded default and on a real Redis.

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
mod errors;
mod lies;
mod lives;
mod outage;
mod recursion;
mod scopes;
mod timeline;
mod timeouts;
mod unheard;
mod values;
