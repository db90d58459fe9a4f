//! State that exists once per process.

#[cfg(target_os = "linux")]
pub mod compile_thread;
pub mod flags;
pub mod idle;
#[cfg(target_os = "linux")]
mod newest_built_ins;
pub mod service;
pub mod session_clock;
pub mod session_random;
#[cfg(target_os = "linux")]
mod slow_built_ins;
pub mod startup;
#[cfg(target_os = "linux")]
pub mod tiers;
pub mod traps;
pub mod versions;
