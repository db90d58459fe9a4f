//! Support for tests that need a separate process, because they change or read state of the whole process.

use std::process::{Command, ExitStatus};

const PART: &str = "SES_TEST_PART";

/// The part of its test for which this process was started.
pub fn part() -> Option<String> {
    std::env::var(PART).ok()
}

/// Runs a test of the calling module again, in a process that runs only this test and does `part`.
pub fn run(module: &str, test: &str, part: &str) -> ExitStatus {
    let (_, path) = module.split_once("::").expect("tests are in modules");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", &format!("{path}::{test}")]);
    let output = command.env(PART, part).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("running 1 test\n"), "no test {path}::{test}: {said}");
    output.status
}
