//! `grep`: lines that match a regular expression.

use std::path::{Path, PathBuf};

use cap_fs_ext::FollowSymlinks;
use ignore::overrides::{Override, OverrideBuilder};

use super::Limits;
use super::budget::Budget;
use super::encoding::{Utf16, without_mark};
use super::error::FileError;
use super::find::RelativeGlob;
use super::grep_format::Report;
use super::grep_lines::{FoundLine, LineSearch, MAX_LINE_CHARS};
use super::left_out::LeftOut;
use super::names::{display, shown};
use super::output::{Details, Output, bytes_notice, limit_notice};
use super::pool::Stop;
use super::read::PARTS;
use super::root::{Root, RootPath, open_regular, read_all, too_large};
use super::truncate::{format_size, truncate_head};
use super::walk::{Found, Walk};

pub const DEFAULT_LIMIT: usize = 100;
const MAX_PATTERN_BYTES: usize = 10_000;
/// The compiler of globs recurses into nested alternatives.
const MAX_GLOB_BYTES: usize = 1024;

#[derive(Debug)]
pub struct GrepRequest {
    pub pattern: String,
    pub path: Option<String>,
    pub glob: Option<String>,
    pub ignore_case: bool,
    /// The pattern is plain text, not a regular expression.
    pub literal: bool,
    /// Lines shown before and after each match.
    pub context: usize,
    pub limit: Option<usize>,
}

pub fn grep(root: &Root, limits: &Limits, request: &GrepRequest, stop: &Stop) -> Result<Output, FileError> {
    let path = RootPath::parse(root, request.path.as_deref().unwrap_or("."))?;
    let is_dir = root.metadata(&path, "Path")?.is_dir();
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(limits.max_results);
    let folder = root.resolve(&path, "Path")?;
    let glob = request.glob.as_deref().filter(|glob| !glob.is_empty());
    let filter = glob.map(|glob| parse_glob(root, if is_dir { &folder } else { Path::new("") }, glob)).transpose()?;
    let mut search = Search {
        root,
        limits,
        lines: parse_pattern(request)?,
        report: Report::new(request.context, limit, limits.max_bytes),
        budget: Budget::new(limits, stop),
        left_out: LeftOut::default(),
        ignore_notice: None,
    };
    if is_dir {
        search.folder(folder, filter)?;
    } else {
        // `read` has the same errors. A file that is named is searched even if it is ignored.
        drop(root.open_file(&path)?);
        search.file(&path.path, &path.file_name(), FollowSymlinks::Yes)?;
        if search.left_out.large.count() > 0 {
            let size = root.metadata(&path, "File")?.len();
            return Err(too_large(path.text, size, limits.max_file_bytes).with_advice(PARTS));
        }
    }
    Ok(search.output())
}

/// A search under way.
struct Search<'a> {
    root: &'a Root,
    limits: &'a Limits,
    lines: LineSearch,
    report: Report,
    budget: Budget,
    left_out: LeftOut,
    /// The walk's notice about ignore rules.
    ignore_notice: Option<String>,
}

impl Search<'_> {
    fn folder(&mut self, base: PathBuf, filter: Option<Override>) -> Result<(), FileError> {
        let (budget, left_out) = (&mut self.budget, &mut self.left_out);
        let wanted = |found: &Found| found.file_type.is_dir() || found.file_type.is_file();
        let mut walk = Walk::new(self.root.dir(), base.clone(), filter, &wanted, budget, left_out);
        while !self.report.is_full()
            && let Some(found) = walk.next(&mut self.budget, &mut self.left_out)
        {
            if found.file_type.is_file() {
                self.file(&base.join(&found.path), &display(&found.path), FollowSymlinks::No)?;
            }
        }
        self.ignore_notice = walk.notice();
        Ok(())
    }

    /// Searches one file, whose path is relative to the root. A file that cannot be read, or is not UTF-8 text, is left
    /// out.
    fn file(&mut self, path: &Path, name: &str, follow: FollowSymlinks) -> Result<(), FileError> {
        let Self { root, limits, lines, report, budget, left_out, .. } = self;
        let read = open_regular(root.dir(), path, follow).and_then(|file| read_all(file, limits.max_file_bytes));
        let bytes = match read {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                left_out.large.add(name);
                return Ok(());
            }
            Err(_) => {
                left_out.unreadable.add(name);
                return Ok(());
            }
        };
        if Utf16::detect(&bytes).is_some() {
            left_out.utf16.add(name);
            return Ok(());
        }
        if bytes.contains(&0) {
            left_out.binary.add(name);
            return Ok(());
        }
        let content = without_mark(&bytes);
        let name = shown(name);
        let found = |line: FoundLine| {
            report.add(&name, content, &line);
            !report.is_full()
        };
        lines
            .run(content, || budget.has_time(), found)
            .map_err(|error| FileError::new("EIO", format!("Cannot search {name}: {error}")))
    }

    fn output(self) -> Output {
        let Self { limits, report, budget, left_out, ignore_notice, .. } = self;
        let (shown, truncation) = truncate_head(&report.text, usize::MAX, limits.max_bytes);
        let limit = report.limit;
        let reached = report.count >= limit;
        let mut notices = Vec::new();
        if reached {
            notices.push(limit_notice(limit, limits.max_results, "matches", ", or refine pattern", "Refine pattern"));
        }
        if truncation.is_some() {
            notices.push(bytes_notice(limits.max_bytes, "Narrow pattern, path or glob"));
        }
        if report.lines_truncated {
            let most = format_size(limits.max_bytes as u64);
            notices.push(format!(
                "Some lines truncated to {MAX_LINE_CHARS} chars around their first match. Use read to see full lines of up to {most}"
            ));
        }
        notices.extend(budget.notice());
        let mut of_left_out = left_out.notices(limits.max_file_bytes);
        of_left_out.extend(ignore_notice);
        let shown = if report.count == 0 { "No matches found" } else { shown };
        let details = Details {
            truncation,
            match_limit_reached: reached.then_some(limit),
            lines_truncated: report.lines_truncated,
            left_out: left_out.counts(),
            stopped_by: budget.stopped_by(),
            ..Details::default()
        };
        Output::with_notices(shown.to_owned(), &notices, details).with_block_of(&of_left_out)
    }
}

fn parse_pattern(request: &GrepRequest) -> Result<LineSearch, FileError> {
    let invalid = |reason: String| FileError::new("ERR_INVALID_PATTERN", format!("Invalid pattern: {reason}"));
    let length = request.pattern.len();
    if length > MAX_PATTERN_BYTES {
        return Err(invalid(format!("it has {length} bytes, {MAX_PATTERN_BYTES} are allowed")));
    }
    LineSearch::new(&request.pattern, request.literal, request.ignore_case).map_err(invalid)
}

/// Like ripgrep's `--glob`: matching files are searched, or with a leading `!` the others.
fn parse_glob(root: &Root, folder: &Path, glob: &str) -> Result<Override, FileError> {
    let invalid = |reason: String| FileError::new("ERR_INVALID_PATTERN", format!("Invalid glob: {reason}"));
    if glob.len() > MAX_GLOB_BYTES {
        return Err(invalid(format!("it has {} bytes, {MAX_GLOB_BYTES} are allowed", glob.len())));
    }
    let mut builder = OverrideBuilder::new("");
    let (unwanted, glob) = match glob.strip_prefix('!') {
        Some(unwanted) => ("!", unwanted),
        None => ("", glob),
    };
    let RelativeGlob { text, of_names, of_folders } = RelativeGlob::parse(root, folder, glob).map_err(invalid)?;
    let depth = if of_names { "**" } else { "" };
    // Files are searched, and not the folder itself.
    let inside = if of_folders { "/**" } else { "" };
    let glob = format!("{unwanted}{depth}/{text}{inside}");
    builder.add(&glob).map_err(|error| invalid(error.to_string()))?;
    builder.build().map_err(|error| invalid(error.to_string()))
}
