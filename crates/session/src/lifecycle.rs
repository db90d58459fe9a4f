//! The state machine of one executor (specification, sections 4.1 and 4.2).

/// State of an executor as its owner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    New,
    Initializing,
    Ready,
    Running,
    Dirty,
    Dead,
}

/// What can happen to an executor.
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

impl State {
    /// The name that the specification gives the state.
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

    /// The state after `transition`, or `None` where the specification forbids it.
    ///
    /// | from \ by    | Init         | Initialized | InitFailed | RunStarted | RunEnded | Corrupted | Cleanup |
    /// |--------------|--------------|-------------|------------|------------|----------|-----------|---------|
    /// | NEW          | INITIALIZING |             |            |            |          |           | DEAD    |
    /// | INITIALIZING | INITIALIZING | READY       | DEAD       |            |          |           | DEAD    |
    /// | READY        | READY        |             |            | RUNNING    |          | DIRTY     | DEAD    |
    /// | RUNNING      |              |             |            |            | READY    | DIRTY     | DEAD    |
    /// | DIRTY        |              |             |            |            |          |           | DEAD    |
    /// | DEAD         | INITIALIZING |             |            |            |          |           | DEAD    |
    ///
    /// The specification is silent on `cleanup()` of NEW, INITIALIZING and RUNNING executors and on `init()`
    /// while INITIALIZING: cleaning up always ends in DEAD, and a second `init()` joins the first.
    /// READY becomes DIRTY when `sendVariables` or `sendTools` exhausts the isolate's memory.
    pub fn after(self, transition: Transition) -> Option<Self> {
        use State::*;
        match (self, transition) {
            (New | Dead | Initializing, Transition::Init) => Some(Initializing),
            (Ready, Transition::Init) => Some(Ready),
            (Initializing, Transition::Initialized) => Some(Ready),
            (Initializing, Transition::InitFailed) => Some(Dead),
            (Ready, Transition::RunStarted) => Some(Running),
            (Running, Transition::RunEnded) => Some(Ready),
            (Ready | Running, Transition::Corrupted) => Some(Dirty),
            (_, Transition::Cleanup) => Some(Dead),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{State::*, Transition::*};

    #[test]
    fn every_cell_of_the_table() {
        let transitions = [Init, Initialized, InitFailed, RunStarted, RunEnded, Corrupted, Cleanup];
        let table = [
            (New, [Some(Initializing), None, None, None, None, None, Some(Dead)]),
            (Initializing, [Some(Initializing), Some(Ready), Some(Dead), None, None, None, Some(Dead)]),
            (Ready, [Some(Ready), None, None, Some(Running), None, Some(Dirty), Some(Dead)]),
            (Running, [None, None, None, None, Some(Ready), Some(Dirty), Some(Dead)]),
            (Dirty, [None, None, None, None, None, None, Some(Dead)]),
            (Dead, [Some(Initializing), None, None, None, None, None, Some(Dead)]),
        ];
        for (from, row) in table {
            for (transition, expected) in transitions.into_iter().zip(row) {
                assert_eq!(from.after(transition), expected, "{from:?} by {transition:?}");
            }
        }
    }
}
