//! Lifecycle, queue and deadlines of executors, whatever their isolates are: knows neither Node-API nor V8.
//!
//! [`Executor`] is owned by one thread and never shared. Its isolate is made by a [`Backend`] and lives elsewhere; what happens
//! there arrives as a [`Notice`] and is applied by [`Executor::on_notice`], so that every change of state happens between two
//! turns of the owner's event loop.

mod backend;
mod counters;
mod desk;
mod ending;
mod engine;
mod executor;
mod folders;
mod jobs;
mod lifecycle;
mod logs;
mod losses;
mod notice;
mod pool;
mod recent_pools;
mod reporter;
mod run_clock;
mod session;
#[cfg(test)]
mod tests;
mod watchdog;

pub use backend::{Backend, Boot, Events, Link, Process};
pub use counters::{Counters, EngineStats};
pub use engine::Engine;
pub use executor::Executor;
pub use folders::Folders;
pub use notice::{Delivery, End, Notice, Notices};
pub use pool::{Booting, Pool};
pub use reporter::Reporter;
pub use watchdog::{Deadline, Watchdog};
