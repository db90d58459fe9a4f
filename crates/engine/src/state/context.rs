//! What an isolate needs of whoever it works for.

use std::time::Instant;

use ses_protocol::{Command, Config, Event, SessionId};

/// The session that has the isolate. Used on the isolate's thread only.
pub trait GuestContext {
    fn session(&self) -> SessionId;

    fn config(&self) -> &Config;

    /// Reports. Never waits for the owner.
    fn report(&self, event: Event);

    /// The next command; waits. `None`: somebody looks whether the session was given up.
    fn next(&self) -> Option<Command>;

    /// As [`Self::next`], but no longer than until `until`. `None`: nothing has come.
    fn next_until(&self, until: Instant) -> Option<Option<Command>>;

    /// A command that has arrived already.
    fn ready(&self) -> Option<Command>;

    /// Values go as V8 writes them: the owner, who trusts nobody here, makes them ready for Node.js.
    fn sends_raw(&self) -> bool;

    /// The session was given up: nothing that the isolate does counts any more. Set before guest code is terminated.
    fn is_given_up(&self) -> bool;
}
