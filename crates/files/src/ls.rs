//! `ls`: the entries of a folder.

use super::Limits;
use super::budget::Budget;
use super::error::FileError;
use super::names::shown;
use super::output::{Details, Output, bytes_notice, limit_notice};
use super::pool::Stop;
use super::root::{Root, RootPath};
use super::truncate::truncate_head;

pub const DEFAULT_LIMIT: usize = 500;
/// How to see the entries that a limit has cut.
const ADVICE: &str = "Use find with a pattern for others";

#[derive(Debug)]
pub struct LsRequest {
    pub path: Option<String>,
    pub limit: Option<usize>,
}

pub fn ls(root: &Root, limits: &Limits, request: &LsRequest, stop: &Stop) -> Result<Output, FileError> {
    let path = RootPath::parse(root, request.path.as_deref().unwrap_or("."))?;
    if !root.metadata(&path, "Path")?.is_dir() {
        return Err(FileError::new("ENOTDIR", format!("Not a directory: {}", path.text)));
    }
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(limits.max_results);
    let mut budget = Budget::new(limits, stop);
    let mut names = list(root, &path, &mut budget)?;
    let reached = names.len() > limit;
    names.truncate(limit);
    let text = names.iter().map(|name| shown(name)).collect::<Vec<_>>().join("\n");
    let (shown, truncation) = truncate_head(&text, usize::MAX, limits.max_bytes);

    let mut notices = Vec::new();
    if reached {
        notices.push(limit_notice(limit, limits.max_results, "entries", "", ADVICE));
    }
    if truncation.is_some() {
        notices.push(bytes_notice(limits.max_bytes, ADVICE));
    }
    notices.extend(budget.notice());
    let shown = if names.is_empty() { "(empty directory)" } else { shown };
    let details = Details {
        truncation,
        entry_limit_reached: reached.then_some(limit),
        stopped_by: budget.stopped_by(),
        ..Details::default()
    };
    Ok(Output::with_notices(shown.to_owned(), &notices, details))
}

/// Names sorted without regard to case. Folders and links to folders end with a slash. For a link that leaves the root,
/// only its name is shown.
fn list(root: &Root, path: &RootPath, budget: &mut Budget) -> Result<Vec<String>, FileError> {
    let failed = |error| FileError::access(&error, path.text, "Path");
    let folder = root.dir().open_dir(&path.path).map_err(failed)?;
    let mut names = Vec::new();
    for entry in folder.entries().map_err(failed)? {
        if !budget.take_entry() {
            break;
        }
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_dir = entry.file_type().is_ok_and(|file_type| {
            file_type.is_dir()
                // Resolved from the root, because a link may lead to another folder there.
                || file_type.is_symlink()
                    && root.dir().metadata(path.path.join(&name)).is_ok_and(|target| target.is_dir())
        });
        let name = name.to_string_lossy();
        names.push(if is_dir { format!("{name}/") } else { name.into_owned() });
    }
    names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
    Ok(names)
}
