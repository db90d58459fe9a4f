//! What is made ready for Node.js: whatever bytes a worker writes, no panic, and no more time and memory than their
//! size allows; an isolate and its host refuse the same values.

use std::time::Duration;

use ses_transfer::{for_node_of_anybody, unless_refused};

use crate::bounds::{Bounds, within};

const BOUNDS: Bounds = Bounds {
    time: Duration::from_millis(50),
    time_per_byte: Duration::from_micros(2),
    heap_bytes: 64 << 10, // 64 KiB
    // What is known of each level of nesting, which may be a byte, in a list that grows.
    heap_bytes_per_byte: 256,
};
/// As that of an executor, and one that is soon exceeded: 64 MiB, 1 KiB.
const MAX_BYTES: [usize; 2] = [64 << 20, 1 << 10];
/// A regular expression of no character is four bytes, and thirty as an object.
const GROWTH: usize = 16;
/// The first bytes of wires that Node.js reads at once, and of others.
const WHOLE: &[u8] = b"\xFF\x0F";
const IN_SLICES: &[u8] = b"\xFE\xFF\x0F";

/// Checks one input of serialized bytes.
///
/// # Panics
///
/// When an invariant does not hold.
pub fn check(wire: &[u8]) {
    for max_bytes in MAX_BYTES {
        let ready = within(&BOUNDS, wire.len(), || for_node_of_anybody(wire.to_vec(), max_bytes));
        if wire.starts_with(WHOLE) {
            match (unless_refused(wire.to_vec(), max_bytes), &ready) {
                (Ok(_), _) => {}
                (Err(refusal), ready) => assert_eq!(ready.as_ref(), Err(&refusal), "refused where it is written only"),
            }
        }
        let Ok(ready) = ready else { continue };
        assert!(ready.len() <= 64 + GROWTH * wire.len(), "{} bytes of {}", ready.len(), wire.len());
        if ready.starts_with(WHOLE) {
            assert!(for_node_of_anybody(ready, max_bytes).is_ok(), "what is ready is refused");
        } else {
            assert!(ready.starts_with(IN_SLICES), "neither whole nor in slices");
            assert!(for_node_of_anybody(ready, max_bytes).is_err(), "what is in slices is no wire");
        }
    }
}
