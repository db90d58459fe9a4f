//! What must hold of `prepare` for any text, and of `transfer` and the frames of workers for any bytes. Run by libFuzzer (`fuzz_targets/`) and, on
//! stable Rust, by the tests in `tests/`.

pub mod bounds;
pub mod corpus;
pub mod of_frames;
pub mod of_node;
pub mod of_prepare;
pub mod of_transfer;
