//! The host's side of isolates in separate processes. `crates/worker` is the program that runs in such a process.

#![cfg(unix)]

mod backend;
mod engine_cache;
mod launch;
mod outbox;
mod process;
#[cfg(test)]
mod tests;
mod worker;

pub use backend::ProcessBackend;
pub use launch::{Arguments, Installation, Kind, Task};
pub use process::WAKE_SIGNAL;
pub use ses_peer::Confinement;
pub use worker::{ByteListener, Bytes, Intake, Worker};
