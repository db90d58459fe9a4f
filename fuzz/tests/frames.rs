//! `frames` on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use proptest::test_runner::TestRunner;
use ses_executor_fuzz::{corpus, of_frames};

#[test]
fn any_bytes_are_refused_or_read_as_they_were_written() {
    for (name, bytes) in corpus::inputs("frames") {
        println!("{name}");
        of_frames::check(&bytes);
    }
    let result = TestRunner::new(cases::cases(20_000)).run(&mutations::inputs("frames", "wire.dict"), |bytes| {
        of_frames::check(&bytes);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
