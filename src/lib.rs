//! `ses-executor`: runs agent-written JavaScript in a hardened V8 isolate inside the Node.js process.
//!
//! The addon: converts between Node-API and the crates, and delegates. The only user of napi.

// napi registers nothing in a test, where all of this would be dead code.
#![cfg(not(test))]

mod arguments;
mod deliver;
mod dispatcher;
mod engine;
mod executor;
mod files;
mod inbox;
mod numbers;
mod options;
mod page;
mod prepare;
mod sandbox;
mod values;
#[cfg(unix)]
mod worker;

use ses_transfer::Limited;

/// V8's serializer grows its buffer through it, so that a value that is written can be held to a limit.
#[global_allocator]
static ALLOCATOR: Limited = Limited;
