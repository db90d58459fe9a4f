//! `ses-executor`: runs agent-written JavaScript in a hardened V8 isolate inside the Node.js process.
//!
//! The data path is the module list: `binding` converts and delegates, `executor` owns lifecycle, queue and
//! threads, `prepare` is VALIDATE and TRANSFORM, `runtime` is EVALUATE and NORMALIZE_OUTPUT, `transfer` is
//! the wire format of values. `files` is the file tools for agents. Only `binding` knows napi, only `runtime` knows V8.

#![deny(clippy::undocumented_unsafe_blocks)]

pub mod binding;
mod executor;
mod files;
pub mod prepare;
mod runtime;
pub mod transfer;
