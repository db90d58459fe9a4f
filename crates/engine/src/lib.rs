//! EVALUATE and NORMALIZE_OUTPUT: the isolate, its hardened realm, and the bridge. The only user of V8.

mod bridge;
mod memory;
mod process;
mod realm;
#[cfg(test)]
mod tests;

pub use bridge::context::GuestContext;
pub use memory::parking::OnParked;
pub use process::syntax_check::{keep_shared_heap, prepare_checked};
pub use realm::boot::Booted;
pub use realm::guest::Guest;
pub use realm::interrupt::Interrupt;
