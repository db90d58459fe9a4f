//! What there is once per process.

pub mod platform;
pub mod service;
pub mod snapshot;
pub mod syntax_check;
