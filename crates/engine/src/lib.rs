//! EVALUATE and NORMALIZE_OUTPUT: the isolate, its hardened realm, and the bridge. The only user of V8.

#[cfg(all(test, target_os = "linux"))]
mod alone;
mod bridge;
mod isolate;
mod memory;
mod process;
mod python;
mod realm;
#[cfg(test)]
mod tests;

pub use bridge::context::GuestContext;
pub use bridge::host::nudge;
pub use isolate::{Booted, Guest};
pub use memory::parking::OnParked;
pub use process::checker::Checker;
pub use process::traps::declare_worker;
pub use python::boot::{make_snapshot, read_python};
pub use python::folders::Folders;
pub use realm::boot::ISOLATE_STACK_BYTES;
pub use realm::interrupt::Interrupt;
