//! Runs two functions at the same time.

use std::sync::{Mutex, PoisonError};

/// Runs `first` on a separate thread while the calling thread runs `second`. Runs both on the calling thread if no
/// thread is available.
pub fn in_parallel<A: Send, B>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    let first = Mutex::new(Some(first));
    let take = || first.lock().unwrap_or_else(PoisonError::into_inner).take();
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, || take().map(|first| first()));
        let second = second();
        let first = match other.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(Some(first))) => first,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Ok(Ok(None)) | Err(_) => take().map(|first| first()).expect("nobody else has taken it"),
        };
        (first, second)
    })
}
