//! The `.gitignore` files that hold for a folder: its own and those of the folders above it, up to the root.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cap_fs_ext::FollowSymlinks;
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::root::open_regular;

const FILE_NAME: &str = ".gitignore";
/// Lines that end after that are left out.
const MAX_FILE_BYTES: usize = 64 * (1 << 10);
/// Longer lines are left out: each becomes a part of an expression that is compiled.
const MAX_LINE_BYTES: usize = 1024;

/// Innermost first; folders without a `.gitignore` have no link of their own.
#[derive(Debug)]
pub struct IgnoreRules {
    matcher: Gitignore,
    /// The folder of the file, relative to the root.
    folder: PathBuf,
    outer: Option<Rc<IgnoreRules>>,
}

/// The rules for what is in `folder`, given those for what is beside it.
pub fn enter(root: &Dir, folder: &Path, outer: Option<Rc<IgnoreRules>>) -> Option<Rc<IgnoreRules>> {
    match load(root, folder) {
        Some(matcher) => Some(Rc::new(IgnoreRules { matcher, folder: folder.to_owned(), outer })),
        None => outer,
    }
}

/// The rules for what is in `folder`, which is a path without links and dots.
pub fn enter_all(root: &Dir, folder: &Path) -> Option<Rc<IgnoreRules>> {
    let mut at = PathBuf::new();
    let mut rules = enter(root, &at, None);
    for part in folder.components() {
        at.push(part);
        rules = enter(root, &at, rules);
    }
    rules
}

/// Whether the innermost file that has a word about `path`, relative to the root, says to ignore it.
pub fn is_ignored(rules: Option<&Rc<IgnoreRules>>, path: &Path, is_dir: bool) -> bool {
    let mut next = rules;
    while let Some(rules) = next {
        let below = path.strip_prefix(&rules.folder).unwrap_or(path);
        match rules.matcher.matched(below, is_dir) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => next = rules.outer.as_ref(),
        }
    }
    false
}

/// A file that cannot be read, and lines that are no patterns, say nothing, as with git.
fn load(root: &Dir, folder: &Path) -> Option<Gitignore> {
    let file = open_regular(root, &folder.join(FILE_NAME), FollowSymlinks::No).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() > MAX_FILE_BYTES {
        // A part of a line would be another pattern.
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0));
    }
    let text = String::from_utf8_lossy(&bytes);
    // An empty root: paths are matched relative to the folder. The builder touches no file.
    let mut builder = GitignoreBuilder::new("");
    let lines = text.strip_prefix('\u{feff}').unwrap_or(&text).lines();
    for line in lines.filter(|line| line.len() <= MAX_LINE_BYTES) {
        let _ = builder.add_line(None, &without_alternatives(line));
    }
    builder.build().ok().filter(|matcher| !matcher.is_empty())
}

/// A pattern in which braces mean themselves, as for git; the matcher takes them for alternatives.
fn without_alternatives(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(char) = rest.chars().next() {
        let length = match char {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            // In a class they mean themselves anyway.
            '[' => class_length(rest).unwrap_or(1),
            other => other.len_utf8(),
        };
        if matches!(char, '{' | '}') {
            text.push('\\');
        }
        text.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    text
}

/// Bytes of the class, like `[!a-z]`, that `pattern` begins with. A bracket that comes first in it does not end it.
fn class_length(pattern: &str) -> Option<usize> {
    let negated = usize::from(pattern[1..].starts_with(['!', '^']));
    let first = 1 + negated;
    let after = first + pattern[first..].chars().next()?.len_utf8();
    Some(after + pattern[after..].find(']')? + 1)
}
