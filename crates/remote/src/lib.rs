//! Isolates on other machines: both ends of a fleet, over NATS.
//!
//! A client asks a pool of workers for a session and sends it frames. The supervisor of a worker passes these bytes on
//! to a sandboxed process, and the bytes of the process back to the client. The supervisor reads none of them. The
//! client checks them as it checks those of a process on its own machine.

mod channel;
mod claim;
mod client;
mod incoming;
mod lock;
mod network;
mod outgoing;
mod packet;
mod pings;
mod room;
mod servers;
mod status;
mod subjects;
#[cfg(unix)]
mod supervisor;

pub use client::RemoteBackend;
pub use servers::Fleet;
pub use status::{StatusRequest, statuses};
#[cfg(unix)]
pub use supervisor::{Backends, Drained, Offer, Request, Supervisor, WorkerOptions, WorkerStats};
