//! The host folders of an isolate that was made ahead of need. They may have changed by the time it is taken.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use ses_protocol::{PACKAGES_LIST, PythonSpec};

/// The folders that were at the configured paths at some time. Empty if none was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Folders {
    mount: Option<Place>,
    packages: Option<Place>,
    /// If packages were added later, the isolate does not know their libraries.
    list: Option<(Place, u64, Option<SystemTime>)>,
}

impl Folders {
    /// The folders of `python` as they are now. Reads the file system.
    #[must_use]
    pub fn now(python: Option<&PythonSpec>) -> Self {
        let Some(PythonSpec { mount, packages, .. }) = python else { return Self::default() };
        let list = packages.as_ref().and_then(|folder| fs::metadata(folder.join(PACKAGES_LIST)).ok());
        Self {
            mount: mount.as_ref().and_then(|mount| place_of(&mount.root)),
            packages: packages.as_ref().and_then(|folder| place_of(folder)),
            list: list.map(|list| (place(&list), list.len(), list.modified().ok())),
        }
    }
}

/// Identifies a folder: no two folders have the same value at the same time.
#[cfg(unix)]
type Place = (u64, u64);
#[cfg(not(unix))]
type Place = Option<SystemTime>;

fn place_of(path: &Path) -> Option<Place> {
    fs::metadata(path).ok().map(|found| place(&found))
}

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
    use std::path::PathBuf;

    use ses_protocol::MountSpec;

    use super::*;

    fn spec(mount: PathBuf, packages: PathBuf) -> PythonSpec {
        PythonSpec {
            pyodide: PathBuf::new(),
            guest: PathBuf::new(),
            prelude: PathBuf::new(),
            modules: Vec::new(),
            cache: None,
            mount: Some(MountSpec { root: mount, read_only: false }),
            packages: Some(packages),
        }
    }

    #[test]
    fn folders_are_others_when_they_are_made_anew_or_have_other_packages() {
        let root = std::env::temp_dir().join(format!("ses-folders-{}", std::process::id()));
        let (mount, packages) = (root.join("mount"), root.join("packages"));
        fs::create_dir_all(&mount).unwrap();
        fs::create_dir_all(&packages).unwrap();
        fs::write(packages.join(PACKAGES_LIST), "{}").unwrap();
        let spec = spec(mount.clone(), packages.clone());
        let now = || Folders::now(Some(&spec));
        let first = now();
        fs::write(mount.join("a.txt"), "a").unwrap();
        fs::write(packages.join("a.py"), "a").unwrap();
        assert_eq!(now(), first);
        fs::write(packages.join(PACKAGES_LIST), "{ }").unwrap();
        let with_others = now();
        assert_ne!(with_others, first);
        // Renaming keeps the old folder's place on disk, as an open handle of a spare isolate does.
        fs::rename(&mount, root.join("old")).unwrap();
        assert_ne!(now(), with_others);
        fs::create_dir(&mount).unwrap();
        assert_ne!(now(), with_others);
        fs::remove_dir_all(&root).unwrap();
    }
}
