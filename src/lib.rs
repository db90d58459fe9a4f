//! `ses-executor`: runs agent-written JavaScript in a hardened V8 isolate inside the Node.js process.
//!
//! The addon converts values between Node-API and the crates, and delegates. It is the only crate that uses napi.

// In a test, napi registers nothing, so all of this would be dead code.
#![cfg(not(test))]

mod arguments;
mod deliver;
mod dispatcher;
mod executor;
mod files;
mod fleet_status;
#[cfg(unix)]
mod fleet_worker;
mod inbox;
mod journal;
mod numbers;
mod options;
mod page;
mod plan;
mod prepare;
mod resources;
mod sdk_program;
mod values;
mod versions;
#[cfg(unix)]
mod worker;

use ses_transfer::Limited;

/// V8's serializer grows its buffer through this allocator, so that a limit for the value that is being written can be
/// enforced.
#[global_allocator]
static ALLOCATOR: Limited = Limited;
