//! The client's end: makes sessions on workers of a fleet.

mod backend;
mod claims;
mod frames;
mod pair;
mod session;

pub use backend::RemoteBackend;
