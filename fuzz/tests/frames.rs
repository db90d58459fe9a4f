//! `frames` on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use ses_executor_fuzz::frames;

#[test]
fn any_bytes_are_refused_or_read_as_they_were_written() {
    mutations::check_all("frames", "wire.dict", cases::cases(20_000), frames::check);
}
