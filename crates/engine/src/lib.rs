//! EVALUATE and NORMALIZE_OUTPUT: the isolate, its hardened realm, and the bridge. The only user of V8.

mod bridge;
pub mod executor;
mod memory;
mod process;
mod realm;

pub use process::syntax_check::prepare_checked;
