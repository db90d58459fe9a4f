//! Lets other threads end the code that an isolate executes.

pub mod interrupt;
pub mod stop;
