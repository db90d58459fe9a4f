//! How threads talk to each other, wait for each other, and share the processors.

mod clock;
mod mailbox;
#[cfg(unix)]
mod pipe;
pub mod priority;
pub mod processor;
mod spin;
mod wake_time;

pub use clock::CpuClock;
pub use mailbox::{Receiver, Sender, channel};
#[cfg(unix)]
pub use pipe::is_readable;
pub use spin::spin;
pub use wake_time::WakeTime;
