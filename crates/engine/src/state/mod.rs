//! The guest's state on an isolate's thread: the session, the run under way, its scripts, and the realm's functions.

pub mod caller;
pub mod context;
pub mod engine;
pub mod entry;
pub mod host;
pub mod log_room;
pub mod module_cache;
pub mod origin;
pub mod pending_calls;
pub mod scripts;
