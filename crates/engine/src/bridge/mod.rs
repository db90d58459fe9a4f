//! The parts of the host that guest code can reach: native functions, tool calls, modules, answers.

mod bytes;
pub mod crypto;
pub mod interface;
pub mod modules;
pub mod natives;
pub mod ops;
pub mod output;
pub mod pure;
#[cfg(target_os = "linux")]
mod quoted_code;
pub mod tools;
