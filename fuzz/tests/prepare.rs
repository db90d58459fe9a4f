//! `prepare` on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use proptest::test_runner::TestRunner;
use ses_executor_fuzz::{corpus, of_prepare};

#[test]
fn any_text_ends_in_a_program_or_diagnostics() {
    for (name, bytes) in corpus::inputs("prepare") {
        println!("{name}");
        of_prepare::check(&bytes);
    }
    let result = TestRunner::new(cases::cases(4_000)).run(&mutations::inputs("prepare", "javascript.dict"), |bytes| {
        of_prepare::check(&bytes);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
