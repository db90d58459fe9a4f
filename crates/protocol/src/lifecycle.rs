// Generated from lib/contract/lifecycle.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! The state machine of one executor (specification, sections 4.1 to 4.3).

use crate::refusals;

/// State of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    New,
    Initializing,
    Ready,
    Running,
    Dirty,
    Dead,
}

/// An event that may change the state of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// `init()` was called.
    Init,
    /// The isolate of an `init()` is ready.
    Initialized,
    /// The isolate could not be made.
    InitFailed,
    /// A run was handed to the isolate.
    RunStarted,
    /// A run ended and the isolate is sound.
    RunEnded,
    /// A run timed out, was aborted, or left an isolate that cannot be trusted.
    Corrupted,
    /// `cleanup()` was called.
    Cleanup,
}

/// A call of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Init,
    SendVariables,
    SendTools,
    Run,
}

impl State {
    pub const ALL: [Self; 6] = [Self::New, Self::Initializing, Self::Ready, Self::Running, Self::Dirty, Self::Dead];

    /// The state's name in the specification.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Initializing => "INITIALIZING",
            Self::Ready => "READY",
            Self::Running => "RUNNING",
            Self::Dirty => "DIRTY",
            Self::Dead => "DEAD",
        }
    }

    /// The state after `transition`, or `None` if the transition is not allowed.
    ///
    /// | from \ by    | Init         | Initialized | InitFailed | RunStarted | RunEnded | Corrupted | Cleanup |
    /// |--------------|--------------|-------------|------------|------------|----------|-----------|---------|
    /// | NEW          | INITIALIZING |             |            |            |          |           | DEAD    |
    /// | INITIALIZING | INITIALIZING | READY       | DEAD       |            |          |           | DEAD    |
    /// | READY        | READY        |             |            | RUNNING    |          | DIRTY     | DEAD    |
    /// | RUNNING      |              |             |            |            | READY    | DIRTY     | DEAD    |
    /// | DIRTY        |              |             |            |            |          |           | DEAD    |
    /// | DEAD         | INITIALIZING |             |            |            |          |           | DEAD    |
    pub fn after(self, transition: Transition) -> Option<Self> {
        match (self, transition) {
            (Self::New, Transition::Init) => Some(Self::Initializing),
            (Self::New, Transition::Cleanup) => Some(Self::Dead),
            (Self::Initializing, Transition::Init) => Some(Self::Initializing),
            (Self::Initializing, Transition::Initialized) => Some(Self::Ready),
            (Self::Initializing, Transition::InitFailed) => Some(Self::Dead),
            (Self::Initializing, Transition::Cleanup) => Some(Self::Dead),
            (Self::Ready, Transition::Init) => Some(Self::Ready),
            (Self::Ready, Transition::RunStarted) => Some(Self::Running),
            (Self::Ready, Transition::Corrupted) => Some(Self::Dirty),
            (Self::Ready, Transition::Cleanup) => Some(Self::Dead),
            (Self::Running, Transition::RunEnded) => Some(Self::Ready),
            (Self::Running, Transition::Corrupted) => Some(Self::Dirty),
            (Self::Running, Transition::Cleanup) => Some(Self::Dead),
            (Self::Dirty, Transition::Cleanup) => Some(Self::Dead),
            (Self::Dead, Transition::Init) => Some(Self::Initializing),
            (Self::Dead, Transition::Cleanup) => Some(Self::Dead),
            _ => None,
        }
    }

    /// Why a call is refused in this state. `None`: it is allowed, or waits in the queue.
    pub fn refusal(self, operation: Operation) -> Option<&'static str> {
        match (self, operation) {
            (Self::New, Operation::SendVariables) => Some(refusals::NOT_READY),
            (Self::New, Operation::SendTools) => Some(refusals::NOT_READY),
            (Self::New, Operation::Run) => Some(refusals::NO_ISOLATE),
            (Self::Initializing, Operation::SendVariables) => Some(refusals::NOT_READY),
            (Self::Initializing, Operation::SendTools) => Some(refusals::NOT_READY),
            (Self::Initializing, Operation::Run) => Some(refusals::NO_ISOLATE),
            (Self::Running, Operation::Init) => Some(refusals::HAS_ISOLATE),
            (Self::Dirty, Operation::Init) => Some(refusals::HAS_ISOLATE),
            (Self::Dirty, Operation::SendVariables) => Some(refusals::NOT_READY),
            (Self::Dirty, Operation::SendTools) => Some(refusals::NOT_READY),
            (Self::Dirty, Operation::Run) => Some(refusals::DIRTY),
            (Self::Dead, Operation::SendVariables) => Some(refusals::NOT_READY),
            (Self::Dead, Operation::SendTools) => Some(refusals::NOT_READY),
            (Self::Dead, Operation::Run) => Some(refusals::NO_ISOLATE),
            _ => None,
        }
    }
}

impl Operation {
    /// The method's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::SendVariables => "sendVariables",
            Self::SendTools => "sendTools",
            Self::Run => "run",
        }
    }
}
