use ses_protocol::frames::Hello;
use ses_protocol::{Event, Failure};

/// An event of a worker that has a session.
pub enum WorkerEvent {
    /// The isolate is ready, for any session.
    Ready(Hello),
    Event(Event),
    /// The worker has ended, or was ended. Contains the reason, for people. Nothing follows.
    Lost(String),
    /// The worker could not be started. Nothing else is sent.
    Unstarted(Failure),
}

/// The reason for ending a worker that violates the protocol.
pub const INVALID_MESSAGE: &str = "the worker process sent an invalid message";
