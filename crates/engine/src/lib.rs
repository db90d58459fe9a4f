//! EVALUATE and NORMALIZE_OUTPUT: the isolate, its hardened realm, and the bridge. The only user of V8.

mod bridge;
mod control;
mod engines;
mod errors;
mod memory;
mod platform;
mod python;
mod realm;
mod state;
#[cfg(test)]
mod tests;
mod values;

pub use control::interrupt::Interrupt;
pub use engines::engine_of;
pub use memory::parking::OnParked;
pub use platform::traps::declare_worker;
pub use platform::versions::{Versions, versions};
pub use realm::boot::{Booted as BootedRealm, ISOLATE_STACK_BYTES};
pub use realm::checker::Checker;
pub use state::context::GuestContext;
pub use state::engine::{Booted, Confined, Engine, Guest};
pub use state::host::wake;
