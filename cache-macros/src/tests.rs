//! The whole pipeline: what is refused, where, and what good functions become.

mod refusals;
mod snapshots;
