/// Whether a worker must have a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confinement {
    /// A worker starts only with the whole sandbox.
    Required,
    /// As much of the sandbox as the system supports.
    BestEffort,
    /// No sandbox, except for the limits on resources.
    Off,
}
