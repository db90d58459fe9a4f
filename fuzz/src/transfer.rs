//! `transfer`: whatever the bytes, no panic; what comes out is what went in, less stacks.

use std::time::Duration;

use ses_transfer::{with_dense_arrays, without_stacks};

use crate::bounds::{Bounds, within};

const BOUNDS: Bounds = Bounds {
    time: Duration::from_millis(50),
    time_per_byte: Duration::from_micros(2),
    heap_bytes: 64 << 10, // 64 KiB
    heap_bytes_per_byte: 64,
};

/// Checks one input of serialized bytes.
///
/// # Panics
///
/// When an invariant does not hold.
pub fn check(wire: &[u8]) {
    if let Some(kept) = within(&BOUNDS, wire.len(), || without_stacks(wire)) {
        assert!(kept.len() < wire.len(), "nothing was taken out");
        assert!(is_subsequence(&kept, wire), "not a part of the serialized value");
        assert_eq!(without_stacks(&kept), None, "a stack was left");
    }
    let dense = within(&BOUNDS, wire.len(), || with_dense_arrays(wire.to_vec()));
    assert_eq!(with_dense_arrays(dense.clone()), dense, "a sparse array was left that could be dense");
}

/// Whether `part` is `whole` with some bytes left out.
fn is_subsequence(part: &[u8], whole: &[u8]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|byte| rest.any(|candidate| candidate == byte))
}
