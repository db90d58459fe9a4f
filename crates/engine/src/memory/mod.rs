//! What an isolate may hold, and what becomes of one that holds more.
//!
//! Below are the counters (`usage`, `zones`, `budget`) and who is told or compiles (`parking`, `sole`, `compiled_for`), above them the guard of an isolate (`limits`) and
//! how its thread stops (`stop`), and above that what V8, ICU and C++ call (`allocator`, `segments`, `pooled_pages`, `stub_caches`, `array_buffers`, `fatal`).

pub mod allocator;
pub mod array_buffers;
pub mod budget;
#[cfg(target_os = "linux")]
pub mod compiled_for;
pub mod fatal;
pub mod limits;
pub mod locks;
pub mod parking;
#[cfg(target_os = "linux")]
mod pooled_pages;
pub mod remains;
#[cfg(target_os = "linux")]
mod segments;
pub mod sole;
pub mod stop;
#[cfg(target_os = "linux")]
pub mod stub_caches;
pub mod usage;
pub mod zones;
