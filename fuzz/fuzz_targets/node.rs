//! libFuzzer's target; in any other build, a program that checks the files whose names it is given.

#![cfg_attr(fuzzing, no_main)]

use ses_executor_fuzz::of_node::check;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(
    init: {
        // libFuzzer's hook aborts at every panic. One that is caught is no finding; one that is not ends the run anyway.
        drop(std::panic::take_hook());
    },
    |bytes: &[u8]| check(bytes)
);

#[cfg(not(fuzzing))]
fn main() {
    for path in std::env::args_os().skip(1) {
        check(&std::fs::read(&path).expect("a readable file"));
        println!("{}: fine", path.display());
    }
}
