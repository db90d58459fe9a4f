//! Numbers of the parts of a graph: indices into its lists.

pub(super) type NodeId = u32;
pub(super) type FunctionId = u32;
pub(super) type ObjectId = u32;
pub(super) type CallId = u32;
pub(super) type BindingId = u32;
pub(super) type LoopId = u32;

/// A list whose elements may be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListRef {
    /// A literal that nothing else refers to: an index into `Graph::lists`.
    Literal(u32),
    /// What a variable was declared with.
    Variable(BindingId),
}
