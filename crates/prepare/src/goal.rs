//! The goal that source is parsed for.

/// What the source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// A guest program: the body of a function, where `await` may stand.
    Program,
    /// The same for a page of a browser. The page itself is contained, so no name is refused.
    Page,
    /// An ES module that the host provides.
    HostModule,
}
