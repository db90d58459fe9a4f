//! `prepare` on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use ses_executor_fuzz::prepare;

#[test]
fn any_text_ends_in_a_program_or_diagnostics() {
    mutations::check_all("prepare", "javascript.dict", cases::cases(4_000), prepare::check);
}
