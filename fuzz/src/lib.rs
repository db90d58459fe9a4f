//! What must hold of `prepare` for any text, and of `transfer`, journals and the frames of workers for any bytes. Run by
//! libFuzzer (`fuzz_targets/`) and, on stable Rust, by the tests in `tests/`.

pub mod bounds;
pub mod corpus;
pub mod frames;
pub mod journals;
pub mod node;
pub mod prepare;
pub mod transfer;

/// libFuzzer's target; in any other build, a program that checks the files whose names it is given.
#[macro_export]
macro_rules! target {
    ($check:path) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(
            init: {
                // libFuzzer's hook aborts at every panic. One that is caught is no finding; one that is not ends the
                // run anyway.
                drop(std::panic::take_hook());
            },
            |bytes: &[u8]| $check(bytes)
        );

        #[cfg(not(fuzzing))]
        fn main() {
            for path in std::env::args_os().skip(1) {
                $check(&std::fs::read(&path).expect("a readable file"));
                println!("{}: fine", path.display());
            }
        }
    };
}
