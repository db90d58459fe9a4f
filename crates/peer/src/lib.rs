//! The host's side of an isolate that it cannot trust: one in a worker process, or on another machine. It knows nothing
//! about the way that frames take.

mod confinement;
mod content;
mod news;
mod session;
mod wire;

pub use confinement::Confinement;
pub use news::{NONSENSE, News};
pub use session::{ANSWER, Peer, PeerLink, SPARE_ANSWER, SessionState, longest_body};
pub use wire::Wire;
