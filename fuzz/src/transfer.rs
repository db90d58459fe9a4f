//! `src/transfer` without the rest of that module, whose allocator is the addon's.

#[path = "../../src/transfer/dense.rs"]
mod dense;
#[path = "../../src/transfer/host_errors.rs"]
mod host_errors;
#[path = "../../src/transfer/plain.rs"]
mod plain;
#[path = "../../src/transfer/reader.rs"]
mod reader;

pub use dense::with_dense_arrays;
pub use host_errors::without_stacks;
pub use plain::Plain;

/// As in the addon.
const VERSION_TAG: u8 = 0xFF;
const HOST_VERSION: u8 = 15;
