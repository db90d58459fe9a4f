//! Isolates that run Python: Pyodide in a plain context, whose memory is mapped from a snapshot.

mod boot;
mod cache;
mod calls;
mod checkpoint;
mod distribution;
pub mod engine;
mod facts;
mod failure;
mod folders;
mod guest;
mod image;
mod import_memory;
mod libraries;
mod machine_code;
mod mount;
mod natives;
mod parallel;
mod shell;
pub mod signal;
mod spec;
mod stack;
#[cfg(test)]
#[path = "../tests/python.rs"]
mod tests;
mod used_names;
