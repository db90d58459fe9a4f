//! What crosses between the realm and the host: values, tool calls, log entries, answers.

pub mod adopt;
pub mod caller;
pub mod context;
pub mod host;
pub mod interface;
pub mod log_room;
pub mod natives;
pub mod ops;
pub mod pending_calls;
pub mod pure;
pub mod serialize;
pub mod tools;
