//! Errors of guest code: marks, positions, stacks, texts, and their conversion to failures.

pub mod early_errors;
pub mod error_texts;
pub mod exceptions;
mod hints;
pub mod marks;
pub mod positions;
pub mod stacks;
