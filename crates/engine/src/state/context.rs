//! The interface of a session for its isolate.

use std::time::Instant;

use ses_protocol::{Command, Config, Event, SessionId};

/// The session that owns the isolate. Used on the isolate's thread only.
pub trait GuestContext {
    fn session(&self) -> SessionId;

    fn config(&self) -> &Config;

    /// Reports an event. Never waits for the owner.
    fn report(&self, event: Event);

    /// Waits for the next command. `None`: check whether the session was given up.
    fn next(&self) -> Option<Command>;

    /// As [`Self::next`], but waits at most until `until`. `None`: nothing has arrived.
    fn next_until(&self, until: Instant) -> Option<Option<Command>>;

    /// A command that has arrived already.
    fn ready(&self) -> Option<Command>;

    /// Values are sent in the form in which V8 writes them. The owner, which does not trust this process, converts them
    /// for Node.js.
    fn sends_raw(&self) -> bool;

    /// The session was given up: later results of the isolate are ignored. Set before guest code is terminated.
    fn is_given_up(&self) -> bool;
}
