//! Tests of the tools, each in its own folder.

use std::io::ErrorKind;

use cap_tempfile::TempDir;

use super::*;

struct Folder {
    dir: TempDir,
    tools: FileTools,
}

fn folder(set: impl FnOnce(&mut Limits)) -> Folder {
    let dir = cap_tempfile::tempdir(cap_std::ambient_authority()).unwrap();
    let mut limits = Limits {
        max_lines: 2000,
        max_bytes: 50 << 10,
        max_image_bytes: 10 << 20,
        max_file_bytes: 32 << 20,
        max_results: 10_000,
        max_entries: 200_000,
        max_search: Duration::from_secs(5),
    };
    set(&mut limits);
    let tools = FileTools { root: Root::of(dir.try_clone().unwrap()), limits };
    Folder { dir, tools }
}

impl Folder {
    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.dir.create_dir_all(folder).unwrap();
        }
        self.dir.write(path, content).unwrap();
    }

    /// The names of all files and folders.
    fn names(&self) -> Vec<String> {
        fn list(dir: &TempDir, folder: &str, names: &mut Vec<String>) {
            for entry in dir.read_dir(folder).unwrap().map(Result::unwrap) {
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                names.push(name[2..].to_owned());
                if entry.file_type().unwrap().is_dir() {
                    list(dir, &name, names);
                }
            }
        }
        let mut names = Vec::new();
        list(&self.dir, ".", &mut names);
        names.sort();
        names
    }

    fn remove(&self, path: &str) -> String {
        text(self.tools.remove(path, true, &Stop::default()))
    }

    fn relocate(&self, from: &str, to: &str, overwrite: bool) -> String {
        text(self.tools.relocate(from, to, overwrite))
    }

    fn read(&self, path: &str, limit: Option<usize>) -> String {
        self.read_from(path, None, limit)
    }

    fn read_from(&self, path: &str, offset: Option<usize>, limit: Option<usize>) -> String {
        text(self.tools.read(&ReadRequest { path: path.to_owned(), offset, limit }, &Stop::default()))
    }

    fn find(&self, pattern: &str, limit: Option<usize>) -> String {
        text(self.tools.find(&FindRequest { pattern: pattern.to_owned(), path: None, limit }, &Stop::default()))
    }

    fn ls(&self, limit: Option<usize>) -> String {
        text(self.tools.ls(&LsRequest { path: None, limit }, &Stop::default()))
    }

    fn grep(&self, pattern: &str, glob: Option<&str>, limit: Option<usize>) -> String {
        let request = GrepRequest {
            pattern: pattern.to_owned(),
            path: None,
            glob: glob.map(str::to_owned),
            ignore_case: false,
            literal: false,
            context: 0,
            limit,
        };
        text(self.tools.grep(&request, &Stop::default()))
    }
}

/// The text of a result, or code and text of an error.
/// The blocks of text, with a blank line between them, or the error.
fn text(result: Result<Output, FileError>) -> String {
    let of_block = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    match result.map(|output| output.content) {
        Ok(content) => content.iter().map(of_block).collect::<Vec<_>>().join("\n\n"),
        Err(FileError { code, message }) => format!("{code}: {message}"),
    }
}

#[test]
fn a_large_folder_is_removed_in_several_calls() {
    let folder = folder(|limits| limits.max_entries = 3);
    for name in ["d/1", "d/2", "d/3", "d/4", "d/5"] {
        folder.put(name, "");
    }
    let more = "ERR_TOO_MANY_ENTRIES: d has more than 3 entries: only part of it was removed; call again to continue.";
    assert_eq!(folder.remove("d"), more);
    assert_eq!(folder.names().len(), 3);
    assert_eq!(folder.remove("d"), "Successfully removed d");
    // Exactly as many as the limit are allowed, folders count, and depth does not matter.
    for name in ["d/1", "d/2/3"] {
        folder.put(name, "");
    }
    assert_eq!(folder.remove("d"), "Successfully removed d");
    folder.put("d/1/2/3/4/5", "");
    assert_eq!(folder.remove("d"), more);
    assert_eq!(folder.names(), ["d", "d/1", "d/1/2"]);
    assert_eq!(folder.remove("d"), "Successfully removed d");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_folder_with_more_entries_than_are_listed_at_once_is_removed() {
    let folder = folder(|_| {});
    for number in 0..1000 {
        folder.put(&format!("d/{}/{number}", number % 300), "");
    }
    assert_eq!(folder.remove("d"), "Successfully removed d");
    assert_eq!(folder.names(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_file_moves_onto_another_name_of_it() {
    let folder = folder(|_| {});
    folder.put("one/a", "text");
    for name in ["b", "one/b"] {
        folder.dir.hard_link("one/a", &folder.dir, name).unwrap();
    }
    folder.dir.symlink("one", "link").unwrap();
    // That is the same name.
    for to in ["./one/a", "link/a", "one/../link/a"] {
        assert_eq!(folder.relocate("one/a", to, true), format!("Successfully moved one/a to {to}"));
    }
    assert_eq!(folder.names(), ["b", "link", "one", "one/a", "one/b"]);
    assert_eq!(folder.relocate("one/b", "one/a", true), "Successfully moved one/b to one/a");
    assert_eq!(folder.relocate("link/a", "b", true), "Successfully moved link/a to b");
    assert_eq!(folder.names(), ["b", "link", "one"]);
    assert_eq!(folder.dir.read_to_string("b").unwrap(), "text");
}

#[test]
fn a_folder_moves_neither_onto_a_file_nor_into_itself() {
    let folder = folder(|_| {});
    folder.put("d/inner/a", "");
    folder.put("f", "");
    #[cfg(unix)]
    folder.dir.symlink("d/inner", "link").unwrap();
    let before = folder.names();
    for overwrite in [false, true] {
        let expected = "ENOTDIR: Not a directory: f. A folder cannot replace a file: remove the file first.";
        assert_eq!(folder.relocate("d", "f", overwrite), expected);
    }
    for to in ["d/x", "d/x/y/z", "d/inner/x/y", "new/../d/x/y", "d/x/../y"] {
        assert_eq!(folder.relocate("d", to, false), format!("EINVAL: Cannot move d into itself: {to}"));
    }
    if cfg!(unix) {
        assert_eq!(folder.relocate("d", "link/x/y", false), "EINVAL: Cannot move d into itself: link/x/y");
    }
    assert_eq!(folder.relocate("d", "f/x", false), "ENOTDIR: Not a directory: a parent of f/x is a file");
    for to in ["new/", "f/.", "d/inner/new/"] {
        let expected = format!("EISDIR: Is a directory: {to}. Give the complete new path, including the new name.");
        assert_eq!(folder.relocate("f", to, true), expected);
    }
    assert_eq!(folder.names(), before);
    assert_eq!(folder.relocate("d", "d2/", false), "Successfully moved d to d2/");
    assert_eq!(folder.relocate("d2", "dd/x", false), "Successfully moved d2 to dd/x");
}

#[test]
fn another_file_system_is_told() {
    let error = FileError::access(&ErrorKind::CrossesDevices.into(), "a", "Path");
    assert_eq!(error.code, "EXDEV");
    assert_eq!(
        error.message,
        "On another file system: a. Write the files again at the new path, then remove the old ones."
    );
}

#[test]
fn folders_that_a_path_leaves_again_are_not_made() {
    let folder = folder(|_| {});
    folder.put("is/a", "");
    for path in ["no/../q", "is/no/../../q", "./is/../no/no/.././../q", "no/../is/no/../../q"] {
        let wrote = text(folder.tools.write(path, path));
        assert_eq!(wrote, format!("Successfully wrote {} bytes to {path}", path.len()));
        assert_eq!(folder.dir.read_to_string("q").unwrap(), path);
    }
    assert_eq!(folder.relocate("q", "no/../new/no/../r", false), "Successfully moved q to no/../new/no/../r");
    assert_eq!(folder.names(), ["is", "is/a", "new", "new/r"]);
    assert_eq!(text(folder.tools.write("is/a/../b", "")), "ENOTDIR: Not a directory: a parent of is/a/../b is a file");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_owner() {
    use std::os::unix::fs::fchown;

    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};

    let folder = folder(|_| {});
    folder.put("a", "one");
    let file = folder.dir.open("a").unwrap();
    file.set_permissions(Permissions::from_mode(0o600)).unwrap();
    // Only the system administrator may give files away.
    if fchown(&file, Some(1000), Some(1001)).is_err() {
        return;
    }
    let owner = || {
        let metadata = folder.dir.metadata("a").unwrap();
        (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
    };
    assert_eq!(text(folder.tools.edit("a", "one", "two")), "Successfully replaced text in a.");
    assert_eq!(owner(), (1000, 1001, 0o600));
    assert_eq!(text(folder.tools.write("a", "three")), "Successfully wrote 5 bytes to a");
    assert_eq!(owner(), (1000, 1001, 0o600));
    assert_eq!(folder.dir.read_to_string("a").unwrap(), "three");
}

#[test]
fn a_limit_that_is_advised_gives_more() {
    let folder = folder(|limits| limits.max_results = 3);
    for name in ["1", "2", "3", "4"] {
        folder.put(name, "x");
    }
    let matches = |last| (1..=last).map(|name| format!("{name}:1: x\n")).collect::<String>();
    for (limit, shown, more) in [(Some(1), 1, Some(2)), (Some(2), 2, Some(3)), (Some(3), 3, None), (None, 3, None)] {
        let names = (1..=shown).map(|name| format!("{name}\n")).collect::<String>();
        let [of_ls, of_search] = match more {
            Some(more) => {
                [format!("Use limit={more} for more"), format!("Use limit={more} for more, or refine pattern")]
            }
            None => ["Use find with a pattern for others".to_owned(), "Refine pattern".to_owned()],
        };
        assert_eq!(folder.ls(limit), format!("{names}\n[{shown} entries limit reached. {of_ls}]"));
        assert_eq!(folder.find("*", limit), format!("{names}\n[{shown} results limit reached. {of_search}]"));
        let expected = format!("{}\n[{shown} matches limit reached. {of_search}]", matches(shown));
        assert_eq!(folder.grep("x", None, limit), expected);
    }
}

#[test]
fn a_line_that_is_too_long_is_followed_by_what_there_is() {
    let folder = folder(|limits| limits.max_bytes = 8);
    folder.put("last", "123456789\n");
    folder.put("first", "123456789\nx");
    let long = "[Line 1 is 9B, exceeds 8B limit. Use grep to see what matches in it";
    assert_eq!(folder.read("last", None), format!("{long}.]"));
    for limit in [None, Some(1)] {
        assert_eq!(folder.read("first", limit), format!("{long}, or offset=2 to continue after it.]"));
    }
}

#[test]
fn lines_of_a_file_that_is_too_large_are_read() {
    let folder = folder(|limits| {
        limits.max_file_bytes = 20;
        limits.max_bytes = 8;
        limits.max_lines = 3;
    });
    let lines: String = (1..=9).map(|number| format!("l {number}\n")).collect();
    folder.put("log", format!("{lines}123456789\nä\nlast"));
    let more = |from, to, limit| format!("[Showing lines {from}-{to}{limit}. Use offset={} to continue.]", to + 1);
    for (offset, limit, expected) in [
        (None, Some(1), format!("l 1\n\n{}", more(1, 1, ""))),
        (Some(2), None, format!("l 2\nl 3\n\n{}", more(2, 3, " (8B limit)"))),
        (Some(9), Some(2), format!("l 9\n\n{}", more(9, 9, " (8B limit)"))),
        (Some(10), None, "[Line 10 exceeds 8B limit. Use offset=11 to continue after it.]".to_owned()),
        (Some(11), None, "ä\nlast".to_owned()),
        (Some(12), Some(9), "last".to_owned()),
        (Some(13), None, "ERR_OFFSET_BEYOND_END: Offset 13 is beyond end of file (12 lines total)".to_owned()),
        (Some(99), None, "ERR_OFFSET_BEYOND_END: Offset 99 is beyond end of file (12 lines total)".to_owned()),
    ] {
        assert_eq!(folder.read_from("log", offset, limit), expected, "{offset:?} {limit:?}");
    }
    folder.put("line", "x".repeat(200_000));
    assert_eq!(folder.read_from("line", Some(1), None), "[Line 1 exceeds 8B limit.]");
    folder.put("empty", "\n".repeat(200_000));
    assert_eq!(folder.read_from("empty", Some(199_998), None), "\n\n\n");
    assert_eq!(folder.read_from("empty", Some(199_997), None), format!("\n\n\n\n{}", more(199_997, 199_999, "")));
    assert_eq!(
        folder.read("line", None),
        "ERR_FILE_TOO_LARGE: File is too large: line has 195.3KB, the limit is 20B. Use read with offset and limit for some of its lines."
    );
}

#[test]
fn a_line_that_is_far_in_a_large_file_is_not_waited_for() {
    let folder = folder(|limits| {
        limits.max_file_bytes = 20;
        limits.max_search = Duration::ZERO;
    });
    folder.put("log", "line\n".repeat(10));
    assert_eq!(
        folder.read_from("log", Some(2), None),
        "ERR_FILE_TOO_LARGE: File is too large: log has 50B, and these lines are not reached within 0 seconds."
    );
}

#[test]
fn a_glob_is_taken_as_paths_are() {
    let folder = folder(|_| {});
    for name in ["a.ts", "src/b.ts", "src/deep/c.ts"] {
        folder.put(name, "x");
    }
    for (pattern, expected) in [
        ("/*.ts", "a.ts"),
        ("/src/*.ts", "src/b.ts"),
        ("src/", "src/"),
        ("./src/", "src/"),
        ("*/", "src/\nsrc/deep/"),
        ("src/**/", "src/deep/"),
        ("**/deep/", "src/deep/"),
        ("src//b.ts", "src/b.ts"),
        ("src/./b.ts", "src/b.ts"),
        ("a.ts/", "No files found matching pattern"),
    ] {
        assert_eq!(folder.find(pattern, None), expected, "{pattern}");
    }
    for (glob, expected) in [
        ("/*.ts", "a.ts:1: x"),
        ("src//*.ts", "src/b.ts:1: x"),
        ("/src/", "src/b.ts:1: x\nsrc/deep/c.ts:1: x"),
        ("deep/", "src/deep/c.ts:1: x"),
        ("!deep/", "a.ts:1: x\nsrc/b.ts:1: x"),
        ("!/src/", "a.ts:1: x"),
        ("", "a.ts:1: x\nsrc/b.ts:1: x\nsrc/deep/c.ts:1: x"),
    ] {
        assert_eq!(folder.grep("x", Some(glob), None), expected, "{glob}");
    }
    for (glob, reason) in [
        ("../a.ts", "it has a '..', give the folder of the search as path"),
        ("src/../*.ts", "it has a '..', give the folder of the search as path"),
        ("/", "it is the folder of the search itself, use '**' for what is in it"),
        ("./", "it is the folder of the search itself, use '**' for what is in it"),
    ] {
        assert_eq!(folder.find(glob, None), format!("ERR_INVALID_PATTERN: Invalid glob pattern: {reason}"));
        assert_eq!(folder.grep("x", Some(glob), None), format!("ERR_INVALID_PATTERN: Invalid glob: {reason}"));
    }
}

#[test]
fn what_the_byte_limit_has_cut_can_be_found() {
    let folder = folder(|limits| limits.max_bytes = 8);
    for name in ["a.txt", "b.txt", "c.txt"] {
        folder.put(name, "x");
    }
    assert_eq!(folder.ls(None), "a.txt\n\n[8B limit reached. Use find with a pattern for others]");
    assert_eq!(folder.find("*", None), "a.txt\n\n[8B limit reached. Narrow pattern or path]");
    assert_eq!(folder.grep("x", None, None), "\n\n[8B limit reached. Narrow pattern, path or glob]");
}

#[test]
fn a_glob_may_begin_with_a_dot() {
    let folder = folder(|_| {});
    for name in ["a.ts", "src/b.ts", "src/deep/c.ts"] {
        folder.put(name, "x");
    }
    assert_eq!(folder.grep("x", Some("./src/*.ts"), None), "src/b.ts:1: x");
    assert_eq!(folder.grep("x", Some("!./src/*.ts"), None), "a.ts:1: x\nsrc/deep/c.ts:1: x");
    assert_eq!(folder.grep("x", Some("./a.ts"), None), "a.ts:1: x");
}

#[test]
fn ignore_rules_that_are_cut_end_with_a_whole_line_and_are_named() {
    let folder = folder(|_| {});
    folder.put("a.log", "");
    folder.put("b", "");
    let one = "Left out: 1 ignored file";
    let cut = "Ignore rules beyond 64.0KB of a file, or 256.0KB with those of the folders above it, were not applied: .gitignore";
    for (rules, expected, notices) in [
        (format!("{}\n*.log", "#".repeat(65_534)), ".gitignore\na.log\nb", vec![cut]),
        (format!("*.log\n{}\n*.log\n", "#".repeat(65_528)), ".gitignore\nb", vec![one, cut]),
        (format!("{}\n*.log", "#".repeat(65_530)), ".gitignore\nb", vec![one]),
        (format!("{}\n*.log\nb\n", "#".repeat(65_530)), ".gitignore\nb", vec![one, cut]),
        ("*".repeat(70_000), ".gitignore\na.log\nb", vec![cut]),
    ] {
        folder.put(".gitignore", rules);
        assert_eq!(folder.find("*", None), format!("{expected}\n\n[{}]", notices.join(". ")));
    }
}

#[test]
fn ignore_rules_of_nested_folders_have_one_limit() {
    let folder = folder(|_| {});
    let rules = format!("*.log\n{}\n", "#".repeat(60_000));
    for path in ["", "1/", "1/2/", "1/2/3/", "1/2/3/4/", "1/2/3/4/5/", "beside/"] {
        folder.put(&format!("{path}.gitignore"), &rules);
        folder.put(&format!("{path}a.log"), "needle");
        folder.put(&format!("{path}b.txt"), "needle");
    }
    // Rules of outer folders still apply to everything below.
    let notice = "Ignore rules beyond 64.0KB of a file, or 256.0KB with those of the folders above it, were not applied: \
                  1/2/3/4/.gitignore, 1/2/3/4/5/.gitignore]";
    let left_out = "\n\n[Left out: 7 ignored files. ";
    let found = "1/2/3/4/5/b.txt\n1/2/3/4/b.txt\n1/2/3/b.txt\n1/2/b.txt\n1/b.txt\nb.txt\nbeside/b.txt";
    assert_eq!(folder.find("b.txt", None), format!("{found}\n\n[{notice}"));
    assert_eq!(folder.find("*.log", None), format!("No files found matching pattern{left_out}{notice}"));
    let lines = found.split('\n').map(|path| format!("{path}:1: needle")).collect::<Vec<_>>().join("\n");
    assert_eq!(folder.grep("needle", None, None), format!("{lines}{left_out}{notice}"));
}

#[test]
fn a_notice_names_three_files_with_ignore_rules_that_are_too_long() {
    let folder = folder(|_| {});
    for name in ["a", "b", "c", "d", "e"] {
        folder.put(&format!("{name}/.gitignore"), "x\n".repeat(40_000));
    }
    assert!(folder.find("none", None).ends_with("applied: a/.gitignore, b/.gitignore, c/.gitignore, 2 others]"));
}

#[test]
fn ignore_rules_that_take_long_end_with_the_time_of_the_search() {
    let folder = folder(|limits| limits.max_search = Duration::from_millis(300));
    let path = "a".repeat(250);
    folder.put(&[path.as_str(); 12].join("/"), "");
    for (line, count) in [("*a".repeat(500), 64), ("**/a*/".repeat(5_000), 2), ("[ab]*".repeat(6_000), 2)] {
        folder.put(".gitignore", format!("{line}b\n").repeat(count));
        let start = std::time::Instant::now();
        folder.find("none", None);
        assert!(start.elapsed() < Duration::from_secs(2), "{}", &line[..10]);
    }
}

#[test]
fn ignore_rules_may_begin_with_a_byte_order_mark() {
    let folder = folder(|_| {});
    folder.put("a.log", "");
    folder.put(".gitignore", "\u{feff}*.log\n");
    assert_eq!(folder.find("*", None), ".gitignore\n\n[Left out: 1 ignored file]");
}

#[test]
fn braces_mean_themselves_in_ignore_rules() {
    let folder = folder(|_| {});
    for name in ["a", "b", "{a,b}", "x{", "x}", "x]", "[{", "{"] {
        folder.put(name, "");
    }
    for (rules, kept) in [
        ("{a,b}\n", "[{\na\nb\nx]\nx{\nx}\n{"),
        ("\\{a,b\\}\n", "[{\na\nb\nx]\nx{\nx}\n{"),
        ("x[{}]\n", "[{\na\nb\nx]\n{\n{a,b}"),
        ("x[]{]\n", "[{\na\nb\nx}\n{\n{a,b}"),
        ("x[!]{]\n", "[{\na\nb\nx]\nx{\n{\n{a,b}"),
        ("[{\n", "a\nb\nx]\nx{\nx}\n{\n{a,b}"),
        ("{\n", "[{\na\nb\nx]\nx{\nx}\n{a,b}"),
    ] {
        folder.put(".gitignore", rules);
        let found = folder.find("*", None);
        assert_eq!(found.split("\n\n").next(), Some(format!(".gitignore\n{kept}").as_str()), "{rules}");
    }
}

#[test]
fn times_before_1970_are_known() {
    use std::time::UNIX_EPOCH;

    let folder = folder(|_| {});
    folder.put("a", "");
    let file = folder.dir.open("a").unwrap().into_std();
    file.set_modified(UNIX_EPOCH - Duration::from_millis(1500)).unwrap();
    assert_eq!(folder.tools.stat("a").unwrap(), Stat { kind: "file", size: 0, modified_ms: Some(-1500.0) });
}
