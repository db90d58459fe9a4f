//! What a search has left out: how much of each kind, and the names of the first ones.

use std::path::Path;

use super::names::{Names, display};
use super::output::LeftOutCounts;
use super::truncate::format_size;

#[derive(Debug, Default)]
pub struct LeftOut {
    ignored_folders: Names,
    /// Only counted. Folders are named, because a whole tree is missing with them.
    ignored_files: usize,
    pub binary: Names,
    pub utf16: Names,
    /// Files above the limit of bytes.
    pub large: Names,
    /// Files that could not be opened, and folders that could not be listed.
    pub unreadable: Names,
}

impl LeftOut {
    /// `path` is relative to the folder of the search.
    pub fn add_ignored(&mut self, path: &Path, is_dir: bool) {
        if is_dir {
            self.ignored_folders.add(&format!("{}/", display(path)));
        } else {
            self.ignored_files += 1;
        }
    }

    pub fn counts(&self) -> Option<LeftOutCounts> {
        let counts = LeftOutCounts {
            ignored_folders: self.ignored_folders.count(),
            ignored_files: self.ignored_files,
            binary_files: self.binary.count(),
            utf16_files: self.utf16.count(),
            large_files: self.large.count(),
            unreadable: self.unreadable.count(),
        };
        (counts != LeftOutCounts::default()).then_some(counts)
    }

    /// The same for the model: one sentence with the counts, and others that say how to get at the rest.
    pub fn notices(&self, max_file_bytes: u64) -> Vec<String> {
        let above = |what: &str| format!("{what} above {}", format_size(max_file_bytes));
        let kinds: Vec<_> = [
            part(self.ignored_folders.count(), &self.ignored_folders, "ignored folder", "ignored folders"),
            part(self.ignored_files, &Names::default(), "ignored file", "ignored files"),
            part(self.binary.count(), &self.binary, "binary file", "binary files"),
            part(self.utf16.count(), &self.utf16, "UTF-16 file", "UTF-16 files"),
            part(self.large.count(), &self.large, &above("file"), &above("files")),
            part(self.unreadable.count(), &self.unreadable, "unreadable entry", "unreadable entries"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if kinds.is_empty() {
            return Vec::new();
        }
        let advice = [
            (self.ignored_folders.count(), "To search an ignored folder, pass it as path"),
            (self.utf16.count(), "To read UTF-16, decode the result of readBytes in code"),
            (self.large.count(), "For a part of a large file, use read with offset and limit"),
        ];
        let advice = advice.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text.to_owned());
        [format!("Left out: {}", kinds.join(", "))].into_iter().chain(advice).collect()
    }
}

/// `2 binary files (a.png, b.png)`.
fn part(count: usize, names: &Names, one: &str, several: &str) -> Option<String> {
    let what = match count {
        0 => return None,
        1 => one,
        _ => several,
    };
    let names = if names.count() > 0 { format!(" ({})", names.list()) } else { String::new() };
    Some(format!("{count} {what}{names}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_has_all_counts_and_the_first_names() {
        let mut left_out = LeftOut::default();
        assert_eq!((left_out.notices(1 << 20), left_out.counts()), (vec![], None));
        for number in 0..5 {
            left_out.binary.add(&format!("{number}.png"));
        }
        left_out.add_ignored(Path::new("build"), true);
        left_out.add_ignored(Path::new("a.log"), false);
        left_out.utf16.add("a\nb");
        left_out.large.add("huge");
        left_out.unreadable.add("closed/");
        left_out.unreadable.add("secret");
        let expected = [
            "Left out: 1 ignored folder (build/), 1 ignored file, 5 binary files (0.png, 1.png, 2.png, 2 others), \
             1 UTF-16 file (\"a\\nb\"), 1 file above 1.0MB (huge), 2 unreadable entries (closed/, secret)",
            "To search an ignored folder, pass it as path",
            "To read UTF-16, decode the result of readBytes in code",
            "For a part of a large file, use read with offset and limit",
        ];
        assert_eq!(left_out.notices(1 << 20), expected);
        let counts = LeftOutCounts {
            ignored_folders: 1,
            ignored_files: 1,
            binary_files: 5,
            utf16_files: 1,
            large_files: 1,
            unreadable: 2,
        };
        assert_eq!(left_out.counts(), Some(counts));
    }
}
