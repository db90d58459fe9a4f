//! Lifecycle, queue and deadlines of executors with any kind of isolate. Does not depend on Node-API or V8.
//!
//! [`Executor`] is owned by one thread and never shared. A [`Backend`] makes its isolate, which lives elsewhere. Events
//! of the isolate arrive as an [`OwnerEvent`], and [`Executor::on_owner_event`] applies them. So every change of state
//! happens between two turns of the owner's event loop.

mod backend;
mod counters;
mod executor;
mod folders;
mod jobs;
mod limited_tools;
mod logs;
mod lost_isolates;
mod owner_event;
mod pool;
mod recent_pools;
mod reporter;
mod resources;
mod run_clock;
mod run_deadline;
mod session;
mod session_state;
#[cfg(test)]
mod tests;
mod watchdog;

pub use backend::{Backend, Boot, Events, Link, Machine, Process};
pub use counters::{Counters, EngineStats};
pub use executor::Executor;
pub use folders::Folders;
pub use limited_tools::LimitedTools;
pub use owner_event::{Delivery, End, OwnerEvent, OwnerEvents};
pub use pool::{Booting, Pool};
pub use reporter::Reporter;
pub use resources::Resources;
pub use run_clock::{Expired, RunClock};
pub use run_deadline::STOP_GRACE;
pub use session::Refusal;
pub use watchdog::{Deadline, Watchdog};
