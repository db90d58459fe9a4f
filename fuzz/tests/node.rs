//! What is made ready for Node.js, on its corpus and on mutations of it. One test per file: heap is measured for the
//! whole process.

mod cases;
mod mutations;

use ses_executor_fuzz::node;

#[test]
fn any_bytes_of_a_worker_are_refused_or_made_ready() {
    mutations::check_all("node", "wire.dict", cases::cases(50_000), node::check);
}
