//! Waits for a short time without sleeping.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::processor;

/// How long a thread looks for a message before it sleeps. Waking a thread on another processor takes about as long as
/// a tool call.
const SPIN: Duration = Duration::from_micros(100);

/// Threads of this process that spin.
static SPINNING: AtomicUsize = AtomicUsize::new(0);

/// Waits until `is_ready` returns true, for [`SPIN`] at most. One processor is left for the host: `spin` does not wait
/// if there is only one processor, or if as many threads spin as there are other processors.
pub fn spin(is_ready: impl Fn() -> bool) {
    spin_among(&SPINNING, is_ready);
}

fn spin_among(spinning: &AtomicUsize, is_ready: impl Fn() -> bool) {
    if is_ready() {
        return;
    }
    if spinning.fetch_add(1, Ordering::Relaxed) + 1 < processor::count() {
        let end = Instant::now() + SPIN;
        while !is_ready() && Instant::now() < end {
            hint::spin_loop();
        }
    }
    spinning.fetch_sub(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often a thread looks while `others` threads spin, for a message that arrives at look number `comes`.
    fn looks(others: usize, comes: u32) -> u32 {
        let (spinning, looks) = (AtomicUsize::new(others), Cell::new(0));
        spin_among(&spinning, || {
            looks.set(looks.get() + 1);
            looks.get() >= comes
        });
        assert_eq!(spinning.into_inner(), others);
        looks.get()
    }

    #[test]
    fn a_spin_ends_with_the_message_or_after_a_fixed_time() {
        assert_eq!(looks(0, 1), 1);
        if processor::count() > 1 {
            assert_eq!(looks(0, 2), 2);
            let start = Instant::now();
            assert!(looks(0, u32::MAX) > 1);
            assert!(start.elapsed() >= SPIN);
        }
    }

    #[test]
    fn one_processor_is_left_for_the_host() {
        assert_eq!(looks(processor::count() - 1, 2), 1);
    }
}
