//! Two things at the same time.

use std::sync::{Mutex, PoisonError};

/// Does `first` on a thread of its own while the calling one does `second`; both on this one if there is no thread to be had.
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
