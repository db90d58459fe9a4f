//! Tests that need a process of their own: what they set, or look at, is the whole process's.

use std::process::{Command, ExitStatus};

const PART: &str = "SES_TEST_PART";

/// Which part of its test this process was started for.
pub fn part() -> Option<String> {
    std::env::var(PART).ok()
}

/// Runs a test of the calling module again, in a process whose only test it is and which does `part`.
pub fn run(module: &str, test: &str, part: &str) -> ExitStatus {
    let (_, path) = module.split_once("::").expect("tests are in modules");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", &format!("{path}::{test}")]);
    let output = command.env(PART, part).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("running 1 test\n"), "no test {path}::{test}: {said}");
    output.status
}
