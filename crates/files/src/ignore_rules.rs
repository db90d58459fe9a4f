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
/// What comes after in one file is left out.
const MAX_FILE_BYTES: u64 = 64 * (1 << 10);
/// Longer lines are left out: the matcher recurses into nested alternatives of a pattern.
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
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    // An empty root: paths are matched relative to the folder. The builder touches no file.
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(&bytes).lines().filter(|line| line.len() <= MAX_LINE_BYTES) {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|matcher| !matcher.is_empty())
}
