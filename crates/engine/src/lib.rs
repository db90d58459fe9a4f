//! EVALUATE and NORMALIZE_OUTPUT: the isolate, its hardened realm, and the bridge. The only user of V8.

mod bridge;
mod control;
mod errors;
mod isolate;
mod memory;
mod platform;
mod python;
mod realm;
mod state;
#[cfg(test)]
mod tests;
mod values;

pub use control::interrupt::Interrupt;
pub use isolate::{Booted, Guest};
pub use memory::parking::OnParked;
pub use platform::traps::declare_worker;
pub use python::boot::{make_snapshot, read_python};
pub use python::folders::Folders;
pub use realm::boot::ISOLATE_STACK_BYTES;
pub use realm::checker::Checker;
pub use state::context::GuestContext;
pub use state::host::wake;
