//! Inputs that are kept, and what inputs are made of.

use std::fs;
use std::path::{Path, PathBuf};

/// Contents of the files in `fuzz/corpus/<target>`, by name, in the order of the names.
///
/// # Panics
///
/// When the folder cannot be read or is empty.
pub fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("corpus").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    paths.iter().map(|path| (path.display().to_string(), read(path))).collect()
}

/// Entries of a dictionary in libFuzzer's format: a quoted text with the escapes `\\`, `\"` and `\xAB` on each line
/// that is no comment.
///
/// # Panics
///
/// When the dictionary cannot be read.
pub fn words(dictionary: &str) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(root().join("dictionaries").join(dictionary)).expect("a readable dictionary");
    text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"').map(unescape)).collect()
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'\\', [b'x', digits @ ..]) if digits.len() >= 2 => {
                let digits = std::str::from_utf8(&digits[..2]).expect("two hexadecimal digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
                rest = &after[3..];
            }
            (b'\\', [escaped, others @ ..]) => {
                bytes.push(*escaped);
                rest = others;
            }
            _ => bytes.push(first),
        }
    }
    bytes
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
