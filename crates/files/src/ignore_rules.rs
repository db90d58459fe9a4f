//! The `.gitignore` files that apply to a folder: its own, and those of the folders above it up to the root.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cap_fs_ext::FollowSymlinks;
use cap_std::fs::Dir;

use super::budget::Budget;
use super::encoding::without_mark;
use super::ignore_pattern::{Patterns, Verdict};
use super::names::{Names, display};
use super::root::open_regular;
use super::truncate::format_size;

const FILE_NAME: &str = ".gitignore";
/// Lines that end after this position are left out.
const MAX_FILE_BYTES: usize = 64 * (1 << 10);
/// Limit for a file together with those of the folders above it, which are held at the same time: 256 KiB of text take
/// 4 MiB at most.
const MAX_HELD_BYTES: usize = 256 * (1 << 10);

/// Innermost first. Folders without a `.gitignore` have no link.
#[derive(Debug)]
pub struct IgnoreRules {
    patterns: Patterns,
    /// The folder of the file, relative to the root.
    folder: PathBuf,
    /// Bytes of this file and of the files in `outer`.
    held_bytes: usize,
    outer: Option<Rc<IgnoreRules>>,
}

/// Reads the rules of one search, and records the files that exceeded the limits.
#[derive(Debug, Default)]
pub struct IgnoreReader {
    incomplete: Names,
}

impl IgnoreReader {
    /// The rules for the contents of `folder`, given the rules for its siblings.
    pub fn enter(&mut self, root: &Dir, folder: &Path, outer: Option<Rc<IgnoreRules>>) -> Option<Rc<IgnoreRules>> {
        let held = outer.as_ref().map_or(0, |rules| rules.held_bytes);
        let Some((bytes, is_complete)) = load(root, folder, MAX_FILE_BYTES.min(MAX_HELD_BYTES - held)) else {
            return outer;
        };
        if !is_complete {
            self.incomplete.add(&display(&folder.join(FILE_NAME)));
        }
        let text = String::from_utf8_lossy(without_mark(&bytes));
        let patterns = Patterns::parse(&text);
        if patterns.is_empty() {
            return outer;
        }
        Some(Rc::new(IgnoreRules { patterns, folder: folder.to_owned(), held_bytes: held + bytes.len(), outer }))
    }

    /// The rules for the contents of `folder`, a path without links and dots.
    pub fn enter_all(&mut self, root: &Dir, folder: &Path) -> Option<Rc<IgnoreRules>> {
        let mut at = PathBuf::new();
        let mut rules = self.enter(root, &at, None);
        for part in folder.components() {
            at.push(part);
            rules = self.enter(root, &at, rules);
        }
        rules
    }

    /// Tells the model which files were not applied, or only in part.
    pub fn notice(&self) -> Option<String> {
        if self.incomplete.count() == 0 {
            return None;
        }
        let [file, held] = [MAX_FILE_BYTES, MAX_HELD_BYTES].map(|bytes| format_size(bytes as u64));
        Some(format!(
            "Ignore rules beyond {file} of a file, or {held} with those of the folders above it, were not applied: {}",
            self.incomplete.list()
        ))
    }
}

/// Whether the innermost file with a verdict on `path`, relative to the root, ignores it.
pub fn is_ignored(rules: Option<&Rc<IgnoreRules>>, path: &Path, is_dir: bool, budget: &mut Budget) -> bool {
    let mut next = rules;
    while let Some(rules) = next {
        let below = path.strip_prefix(&rules.folder).unwrap_or(path);
        match rules.patterns.verdict(below, is_dir, budget) {
            Some(verdict) => return verdict == Verdict::Ignored,
            None => next = rules.outer.as_ref(),
        }
    }
    false
}

/// The whole lines at the start of a folder's file, at most `most` bytes, and whether that is the complete file. A file
/// that cannot be read has no rules, as with git.
fn load(root: &Dir, folder: &Path, most: usize) -> Option<(Vec<u8>, bool)> {
    let file = open_regular(root, &folder.join(FILE_NAME), FollowSymlinks::No).ok()?;
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
    let is_complete = bytes.len() <= most;
    if !is_complete {
        // Part of a line would be another pattern.
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0));
    }
    Some((bytes, is_complete))
}
