//! Records what a session does, and rebuilds the session from the record.
//!
//! Guests have neither timers nor a clock, so the state of a session follows from its commands: code, variables, tools,
//! the answers of tools with their order, times and a seed. [`JournalBackend`] stands between a session and the backend
//! that makes its isolate. It records commands and events as frames of the protocol. If the journal holds a session
//! already, it sends the recorded commands to a fresh isolate, compares every event, and only then reports that the
//! isolate is ready. Recording, replay and continuation need nothing from the isolate but the protocol, so they work
//! for threads, processes and every engine.
//!
//! The owner stores the entries. A job reaches the guest once the owner has said that all entries up to it are stored.
//! Answers of tools reach it immediately, so that it works while they are being stored. The owner shows nobody what the
//! guest does before everything up to it is stored, so the guest can be ahead of the journal, but its effects cannot.

mod backend;
mod chain;
mod content;
mod effects;
mod entry;
mod journal;
mod lock;
mod state;
#[cfg(test)]
mod tests;

pub use backend::JournalBackend;
pub use chain::Keys;
pub use content::{Content, Flaw, FlawKind, OpenCall, OpenRun, WithheldCall};
pub use effects::OnCheckpoint;
pub use entry::{Entry, EntryBody, EntryKind};
pub use journal::Journal;
pub use state::Batch;
