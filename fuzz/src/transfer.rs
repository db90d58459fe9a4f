//! `src/transfer` without the rest of that module, whose allocator is the addon's.

#[path = "../../src/transfer/host_errors.rs"]
mod host_errors;

pub use host_errors::without_stacks;

/// As in the addon.
const VERSION_TAG: u8 = 0xFF;
