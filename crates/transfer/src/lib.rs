//! The serialized form of values: V8's serialization format, as `node:v8` writes and reads it.
//!
//! The isolate's V8 is newer than Node's and begins its output with a version that Node refuses. Version 16 only widens
//! the lengths of array buffers from 32 to 64 bits. Both versions write them as variable-length integers, so the bytes
//! for buffers below 4 GiB are the same.

mod budget;
mod dense;
mod head;
mod host_errors;
mod outgoing;
mod patterns;
mod reader;
mod slice_tags;
mod slices;
mod survey;

pub use budget::{Limited, with_limit, without_limit};
pub use dense::with_dense_arrays;
pub use host_errors::without_stacks;
pub use outgoing::{for_node, for_node_of_anybody, unless_refused};
pub use survey::Refusal;

/// First byte of every serialized value, before the version.
const VERSION_TAG: u8 = 0xFF;
/// The version that Node.js 20 and later read.
const HOST_VERSION: u8 = 15;

/// Gives `wire`, the output of the isolate's V8, the version that the host reads.
///
/// Returns `None` for bytes that V8's serializer does not write.
pub fn for_host(mut wire: Vec<u8>) -> Option<Vec<u8>> {
    match wire.get_mut(..2) {
        Some([VERSION_TAG, version]) if *version >= HOST_VERSION => {
            *version = HOST_VERSION;
            Some(wire)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_header_is_replaced() {
        assert_eq!(for_host(vec![0xFF, 16, b'_']), Some(vec![VERSION_TAG, HOST_VERSION, b'_']));
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [&[][..], &[0xFF], &[0xFF, 14, b'_'], b"{}"] {
            assert_eq!(for_host(bytes.to_vec()), None);
        }
    }
}
