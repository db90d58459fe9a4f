//! The connection to a worker.

use std::sync::Arc;
use std::time::Duration;

use ses_session::Machine;

/// A connection to a worker: the pipe of a process, or a network. No method waits.
pub trait Connection: Send + Sync {
    /// Sends a frame. If the frame cannot be sent, the worker is ended.
    fn send(&self, frame: Vec<u8>);

    /// Makes the worker check for frames, even while guest code runs. Called after the frame was sent.
    fn wake(&self);

    /// Replaces a worker that was started ahead of need and does not answer. The other worker receives this frame
    /// first, and sends its greeting.
    fn replace(&self, frame: Vec<u8>);

    /// Ends the worker immediately, whatever it does.
    fn kill(&self);

    /// Like [`Self::kill`], with a reason that is reported.
    fn end(&self, reason: &'static str);

    /// The number of the process, while it exists. Absent if the worker is on another machine.
    fn pid(&self) -> Option<u32>;

    /// The machine of the worker, if it is another one.
    fn machine(&self) -> Option<Arc<Machine>> {
        None
    }

    /// Whether the worker is on another machine.
    fn is_remote(&self) -> bool {
        false
    }

    /// The time that a message to the worker and its answer take, if that is not negligible.
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    /// Why a worker on another machine was lost.
    fn lost_cause(&self) -> Option<&'static str> {
        None
    }
}
