//! What is made ready for Node.js, on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use proptest::test_runner::TestRunner;
use ses_executor_fuzz::{corpus, of_node};

#[test]
fn any_bytes_of_a_worker_are_refused_or_made_ready() {
    for (name, bytes) in corpus::inputs("node") {
        println!("{name}");
        of_node::check(&bytes);
    }
    let result = TestRunner::new(cases::cases(50_000)).run(&mutations::inputs("node", "wire.dict"), |bytes| {
        of_node::check(&bytes);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
