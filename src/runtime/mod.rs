//! EVALUATE and NORMALIZE_OUTPUT: the isolate, its hardened realm, and the bridge. The only user of V8.

mod adopt;
mod boot;
mod bridge;
mod buffers;
mod engine;
mod evaluate;
mod exceptions;
mod host;
mod instance;
mod interrupt;
mod limits;
mod modules;
mod native_memory;
mod natives;
mod ops;
mod parking;
mod patience;
mod platform;
mod realm;
mod scripts;
mod serialize;
mod snapshot;
mod syntax_check;
mod tools;

pub use boot::Booted;
pub use engine::Engine;
pub use interrupt::Interrupt;
pub use parking::Owner;
pub use syntax_check::{keep_shared_heap, prepare_checked};
