//! The host's side of an isolate that it cannot trust: one in a worker process, or on another machine. It knows nothing
//! about the way that frames take.

mod confinement;
mod connection;
mod content;
mod session;
mod worker_event;

pub use confinement::Confinement;
pub use connection::Connection;
pub use session::{ANSWER, Peer, PeerLink, SPARE_ANSWER, SessionState, longest_body};
pub use worker_event::{INVALID_MESSAGE, WorkerEvent};
