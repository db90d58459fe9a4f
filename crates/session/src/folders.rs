//! The host folders of an isolate that was made ahead of need. They may have changed by the time it is taken.

use std::fs::{self, Metadata};
use std::time::SystemTime;

use ses_protocol::{EngineSpec, FolderSpec};

/// The folders that the configured paths pointed to at one moment, in the order of the engine's paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Folders(Vec<Folder>);

#[derive(Debug, PartialEq, Eq)]
struct Folder {
    /// Absent: there was no folder at the path.
    place: Option<Place>,
    /// Place, size in bytes and modification time of the file that lists the content of the folder. It changes if code
    /// is added later, which an existing isolate would not see.
    list: Option<(Place, u64, Option<SystemTime>)>,
}

impl Folders {
    /// The folders of an engine as they are now. Reads the file system.
    #[must_use]
    pub fn now(engine: &EngineSpec) -> Self {
        Self(engine.folders.iter().map(Folder::now).collect())
    }
}

impl Folder {
    fn now(FolderSpec { root, list, .. }: &FolderSpec) -> Self {
        let list = list.as_ref().and_then(|name| fs::metadata(root.join(name)).ok());
        Self {
            place: fs::metadata(root).ok().map(|found| place(&found)),
            list: list.map(|list| (place(&list), list.len(), list.modified().ok())),
        }
    }
}

/// Identifies a folder: no two folders have the same value at the same time.
#[cfg(unix)]
type Place = (u64, u64);
#[cfg(not(unix))]
type Place = Option<SystemTime>;

#[cfg(unix)]
fn place(found: &Metadata) -> Place {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn place(found: &Metadata) -> Place {
    found.created().ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LIST: &str = "list.json";

    fn folder(name: &str, root: &Path, list: Option<&str>) -> FolderSpec {
        FolderSpec { name: name.to_owned(), root: root.to_owned(), read_only: false, list: list.map(str::to_owned) }
    }

    #[test]
    fn folders_are_others_when_they_are_made_anew_or_have_other_code() {
        let root = std::env::temp_dir().join(format!("ses-folders-{}", std::process::id()));
        let (data, code) = (root.join("data"), root.join("code"));
        fs::create_dir_all(&data).unwrap();
        fs::create_dir_all(&code).unwrap();
        fs::write(code.join(LIST), "{}").unwrap();
        let folders = vec![folder("data", &data, None), folder("code", &code, Some(LIST))];
        let spec = EngineSpec { folders, ..EngineSpec::default() };
        let now = || Folders::now(&spec);
        let first = now();
        fs::write(data.join("a.txt"), "a").unwrap();
        fs::write(code.join("a.py"), "a").unwrap();
        assert_eq!(now(), first);
        fs::write(code.join(LIST), "{ }").unwrap();
        let with_others = now();
        assert_ne!(with_others, first);
        // Renaming keeps the old folder's place on disk, as an open handle of a spare isolate does.
        fs::rename(&data, root.join("old")).unwrap();
        assert_ne!(now(), with_others);
        fs::create_dir(&data).unwrap();
        assert_ne!(now(), with_others);
        fs::remove_dir_all(&root).unwrap();
    }
}
