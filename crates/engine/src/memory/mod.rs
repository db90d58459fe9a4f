//! What an isolate may hold, and what becomes of one that holds more.

pub mod buffers;
pub mod limits;
pub mod locks;
pub mod native_memory;
pub mod parking;
pub mod zones;
