//! The messages between a host and a worker, one per frame: commands, events, and messages about the worker itself.

use std::sync::Arc;

use crate::encoding::{Malformed, Part, Reader, Writer, record};
use crate::{Command, Config, Event, JobId};

/// A message from the host.
#[derive(Debug)]
pub enum ToWorker {
    Control(Control),
    Command(Command),
}

/// A message about the session or the worker.
#[derive(Debug)]
pub enum Control {
    /// Begins the session: the first frame, and the only one of its kind. [`Event::Initialized`] follows.
    Open(Arc<Config>),
    /// Asks the guest to end this run by itself, if the run is still under way.
    Stop(JobId),
    /// The worker keeps the deadlines of later runs. `limits_calls`: all calls of these runs have a time limit.
    KeepDeadlines { limits_calls: bool },
}

/// A message from the worker.
#[derive(Debug)]
pub enum FromWorker {
    Status(Status),
    Event(Event),
}

/// A message about the worker itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The first frame: an isolate is ready.
    Hello(Hello),
}

/// The properties of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// [`super::VERSION`] of the worker.
    pub version: u32,
    /// landlock is in force.
    pub landlock: bool,
    /// seccomp is in force.
    pub seccomp: bool,
}

/// A message from one of the peers.
pub trait Message: Sized {
    /// Appends the whole frame, from its length to the end of its body.
    ///
    /// # Errors
    ///
    /// The frame would be longer than a frame can be. Nothing was appended.
    fn write(&self, session: u32, to: &mut Vec<u8>) -> Result<(), Malformed>;

    /// The inverse of [`Self::write`], for the bytes after the head.
    ///
    /// # Errors
    ///
    /// The kind is unknown, or the body does not have the format of its kind.
    fn read(kind: u8, body: &[u8]) -> Result<Self, Malformed>;
}

/// Defines the messages of a type: the kind of each and the parts of its body.
macro_rules! messages {
    ($type:ident { $($kind:literal $variant:ident $(($item:ident))? $({$($field:ident),*})?),* $(,)? }) => {
        impl Message for $type {
            fn write(&self, session: u32, to: &mut Vec<u8>) -> Result<(), Malformed> {
                match self {
                    $(Self::$variant $(($item))? $({$($field),*})? => Writer::frame(to, $kind, session, |_to| {
                        $($item.write(_to);)?
                        $($($field.write(_to);)*)?
                    }),)*
                }
            }

            fn read(kind: u8, body: &[u8]) -> Result<Self, Malformed> {
                let mut from = Reader::new(body);
                let message = match kind {
                    $($kind => {
                        $(let $item = Part::read(&mut from)?;)?
                        $($(let $field = Part::read(&mut from)?;)*)?
                        Self::$variant $(($item))? $({$($field),*})?
                    })*
                    _ => return Err(Malformed),
                };
                from.end()?;
                Ok(message)
            }
        }
    };
}

messages!(Control {
    0x01 Open(config),
    0x08 Stop(job),
    0x09 KeepDeadlines { limits_calls },
});
messages!(Command {
    0x02 SetVariables { job, names, values },
    0x03 SetTools { job, tools },
    0x04 Run { job, limits, code },
    0x05 ToolReplies { replies, now_ms },
    0x06 Checkpoint { job },
    0x07 Restore { job, state },
});
messages!(Status {
    0x81 Hello(hello),
});
messages!(Event {
    0x82 Initialized(result),
    0x83 Settled { job, result, figures, sound },
    0x85 ToolCalls(calls),
    0x86 Log { job, entry },
    0x87 Closed { panicked },
    0x8B Progress { operations, tool_calls },
    0x8C Parked { bytes },
    0x8D Lost { reason },
    0x8E Idle { answers },
    0x8F Taken { bytes },
    0x90 CpuSpent { job },
    0x91 TimeOver { job },
    0x92 GraceOver { job },
});
record!(Hello { version, landlock, seccomp });

impl Message for ToWorker {
    fn write(&self, session: u32, to: &mut Vec<u8>) -> Result<(), Malformed> {
        match self {
            Self::Control(control) => control.write(session, to),
            Self::Command(command) => command.write(session, to),
        }
    }

    fn read(kind: u8, body: &[u8]) -> Result<Self, Malformed> {
        match kind {
            0x01 | 0x08 | 0x09 => Control::read(kind, body).map(Self::Control),
            _ => Command::read(kind, body).map(Self::Command),
        }
    }
}

impl Message for FromWorker {
    fn write(&self, session: u32, to: &mut Vec<u8>) -> Result<(), Malformed> {
        match self {
            Self::Status(status) => status.write(session, to),
            Self::Event(event) => event.write(session, to),
        }
    }

    fn read(kind: u8, body: &[u8]) -> Result<Self, Malformed> {
        match kind {
            0x81 => Status::read(kind, body).map(Self::Status),
            _ => Event::read(kind, body).map(Self::Event),
        }
    }
}
