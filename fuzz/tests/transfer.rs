//! `transfer` on its corpus and on mutations of it. One test per file: heap is measured for the whole process.

mod cases;
mod mutations;

use ses_executor_fuzz::transfer;

#[test]
fn any_bytes_come_out_as_they_went_in_less_stacks() {
    mutations::check_all("transfer", "wire.dict", cases::cases(100_000), transfer::check);
}
