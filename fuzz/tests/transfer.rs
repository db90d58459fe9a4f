//! `transfer` on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use proptest::test_runner::TestRunner;
use ses_executor_fuzz::{corpus, of_transfer};

#[test]
fn any_bytes_come_out_as_they_went_in_less_stacks() {
    for (name, bytes) in corpus::inputs("transfer") {
        println!("{name}");
        of_transfer::check(&bytes);
    }
    let result = TestRunner::new(cases::cases(100_000)).run(&mutations::inputs("transfer", "wire.dict"), |bytes| {
        of_transfer::check(&bytes);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
