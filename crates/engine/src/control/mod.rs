//! How other threads end what an isolate executes.

pub mod interrupt;
pub mod stop;
