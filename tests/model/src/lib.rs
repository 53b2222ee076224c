//! The lease protocol of one key as a model small enough to look at every state of it.
//!
//! A [`World`] is a store, a few processes and what is under way between them. The scripts of the
//! store stand in `scripts`, the steps of a process in `steps` and `answers`, what happens to them in
//! `events`; all have the names they have in the code. Time is abstract: whatever has an expiry may end at any
//! moment, and a stamp is a place in an order. [`explore`](explore::explore) looks at every world
//! that can be reached and stops at the first broken [`Promise`];
//! [`Graph`](liveness::Graph) looks for ways to go on for ever without what should happen,
//! although whatever is due gets its turn.
//!
//! Own code, because the crate at hand for this does not see an endless loop that it enters through
//! a state it already knows, and endless loops are what liveness is about.

pub mod liveness;
pub mod explore;
mod steps;
mod answers;
mod events;
mod scripts;
mod onlooker;
mod oblivion;
mod tally;
mod world;
mod rules;
mod promises;

pub use promises::Promise;
pub use rules::{Left, Rules};
pub use world::World;
