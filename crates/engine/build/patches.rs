//! Numbered patches of npm packages: `patches/<package>/0001-name.patch`. Each begins with its reason and names the
//! test that fails without it. A unified diff follows.

use std::fs;
use std::path::Path;

use diffy::Patch;

/// The line that names the test.
const TEST: &str = "Test: ";

/// Applies all patches in `folder` to `text`, in the order of their names.
///
/// # Errors
///
/// A message that names the patch and says what is wrong.
pub fn patched(text: String, folder: &Path) -> Result<String, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("the patches in {} cannot be read: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(|error| cannot(&error))?;
    let mut paths: Vec<_> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(|error| cannot(&error))?;
    paths.sort();
    paths.iter().try_fold(text, |text, path| {
        let patch = fs::read_to_string(path).map_err(|error| cannot(&error))?;
        apply(&text, &patch).map_err(|error| format!("{}: {error}", path.display()))
    })
}

fn apply(text: &str, patch: &str) -> Result<String, String> {
    let head = patch.split("\n--- ").next().unwrap_or_default();
    if !head.lines().any(|line| line.starts_with(TEST)) {
        return Err(format!("it names no test: a line of its head must begin with `{TEST}`"));
    }
    let patch = Patch::from_str(patch).map_err(|error| format!("it is not a unified diff: {error}"))?;
    if patch.hunks().is_empty() {
        return Err("it changes nothing".to_owned());
    }
    diffy::apply(text, &patch).map_err(|error| format!("it does not apply: {error}; was the package upgraded?"))
}
