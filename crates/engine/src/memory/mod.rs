//! What an isolate may hold, and what becomes of one that holds more.
//!
//! Below are the counters (`usage`, `zones`, `budget`), the system's `pages` and who is told or compiles (`parking`, `sole`,
//! `compiled_for`), above them the guard of an isolate (`limits`) and how its thread stops (`stop`), and above that what V8, ICU and C++ call
//! (`allocator`, `segments`, `large_objects`, `array_buffers`, `fatal`) and what is given back (`stack`,
//! `remains`).

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
