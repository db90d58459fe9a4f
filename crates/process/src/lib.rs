//! The host's side of isolates in separate processes. `crates/worker` is the program that runs in such a process.

#![cfg(unix)]

mod backend;
mod content;
mod engine_cache;
mod launch;
mod outbox;
mod process;
mod session;
mod worker;

pub use backend::ProcessBackend;
pub use launch::{Arguments, Confinement, Installation, Kind, Task};
pub use process::WAKE_SIGNAL;
