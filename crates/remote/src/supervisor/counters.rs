//! What a worker counts.

use std::sync::atomic::AtomicU64;

/// Counters since the start.
#[derive(Debug, Default)]
pub struct Counters {
    pub opened: AtomicU64,
    pub refused: AtomicU64,
    pub lost: AtomicU64,
    pub sent_bytes: AtomicU64,
    pub received_bytes: AtomicU64,
}
