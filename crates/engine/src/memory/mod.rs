//! The memory limit of an isolate, and what happens to an isolate that exceeds it.
//!
//! At the bottom are the counters (`usage`, `zones`, `budget`), the system's `pages`, and the owner and the compiling
//! thread (`parking`, `single_isolate`, `compiled_for`). Above them are the guard of an isolate (`limits`) and the way
//! its thread stops (`stop`). At the top are the functions that V8, ICU and C++ call (`allocator`, `segments`,
//! `large_objects`, `array_buffers`, `fatal`), and the code that returns memory (`stack`, `thread_leftovers`).

pub mod allocator;
pub mod array_buffers;
pub mod budget;
#[cfg(target_os = "linux")]
pub mod compiled_for;
pub mod fatal;
#[cfg(target_os = "linux")]
mod large_objects;
pub mod limits;
pub mod locks;
#[cfg(target_os = "linux")]
mod pages;
pub mod parking;
#[cfg(target_os = "linux")]
mod segments;
pub mod single_isolate;
#[cfg(target_os = "linux")]
pub mod stack;
pub mod stop;
pub mod thread_leftovers;
pub mod usage;
pub mod zones;
