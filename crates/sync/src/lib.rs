//! How threads talk to each other, wait for each other, and share the processors.

mod alarm;
mod clock;
mod mailbox;
mod patience;
#[cfg(unix)]
mod pipe;
pub mod priority;
pub mod processor;
mod spare;

pub use alarm::Alarm;
pub use clock::CpuClock;
pub use mailbox::{Receiver, Sender, channel};
pub use patience::{Awake, Patience};
#[cfg(unix)]
pub use pipe::is_readable;
pub use spare::Spare;
