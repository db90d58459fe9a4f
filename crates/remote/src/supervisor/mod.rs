//! The worker's end: serves sessions of clients with one process each.

mod counters;
mod offers;
mod queue_group;
mod session;
mod tokens;
mod worker;

pub use offers::{Backends, Offer, Request};
pub use worker::{Drained, Supervisor, WorkerOptions, WorkerStats};
