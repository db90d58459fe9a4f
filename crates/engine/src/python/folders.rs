//! Host folders of an isolate: a folder that guest code may use, and a folder of packages that guest code may import.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::python::libraries::Digest;
use crate::python::spec::PythonSpec;
use ses_files::mount::Mount;
use ses_protocol::FolderSpec;

/// The longest package list that is read. Lists that this project writes are shorter. 16 MiB.
const MAX_LIST_BYTES: u64 = 16 << 20;

#[derive(Debug, Default)]
pub struct Folders {
    pub mount: Option<Folder>,
    pub packages: Option<Packages>,
}

/// The folder that guest code may use.
#[derive(Debug)]
pub enum Folder {
    /// To be opened when it is mounted.
    At(FolderSpec),
    /// Already opened, or the reason why it could not be opened.
    Open(Result<Mount, String>),
}

#[derive(Debug)]
pub struct Packages {
    pub mount: Mount,
    /// Digests of the WebAssembly modules that may be loaded.
    pub libraries: BTreeSet<Digest>,
}

impl Folders {
    /// The folders of `spec`. Its packages must be for Pyodide `version`.
    ///
    /// # Errors
    ///
    /// A message for people about the problem with the packages.
    pub fn of(spec: &PythonSpec, version: &str) -> Result<Self, String> {
        let packages = spec.packages.as_ref().map(|folder| Packages::open(folder, version)).transpose()?;
        Ok(Self { mount: spec.mount.clone().map(Folder::At), packages })
    }

    /// Opens the folder now, for a process that will not be able to open files later.
    #[must_use]
    pub fn opened(self) -> Self {
        let mount = self.mount.map(|folder| match folder {
            Folder::At(spec) => Folder::Open(Mount::open(&spec.root, spec.read_only)),
            open @ Folder::Open(_) => open,
        });
        Self { mount, ..self }
    }

    /// Makes the mount unavailable, with this reason.
    pub fn refuse(&mut self, reason: &str) {
        if let Some(mount) = &mut self.mount {
            *mount = Folder::Open(Err(reason.to_owned()));
        }
    }
}

impl Folder {
    /// # Errors
    ///
    /// The folder could not be opened. The message is for people.
    pub fn open(self) -> Result<Mount, String> {
        match self {
            Self::At(spec) => Mount::open(&spec.root, spec.read_only),
            Self::Open(opened) => opened,
        }
    }
}

impl Packages {
    fn open(FolderSpec { root, list, .. }: &FolderSpec, version: &str) -> Result<Self, String> {
        let name = list.as_deref().unwrap_or_default();
        let wrong = |what: &str| {
            format!(
                "the packages in {} cannot be used: {what}; make them with: ses-executor python add",
                root.display()
            )
        };
        let list = read_list(root, name).map_err(|error| wrong(&error))?;
        let made_for = list["pyodide"].as_str().unwrap_or_default();
        if made_for != version {
            return Err(wrong(&format!("they were made for Pyodide {made_for}, this is {version}")));
        }
        let digests = list["libraries"].as_object().into_iter().flat_map(|libraries| libraries.values());
        let libraries: Option<_> = digests.map(|digest| parse(digest.as_str()?)).collect();
        let libraries = libraries.ok_or_else(|| wrong(&format!("{name} has an invalid digest")))?;
        Ok(Self { mount: Mount::open(root, true).map_err(|error| wrong(&error))?, libraries })
    }
}

fn read_list(root: &Path, name: &str) -> Result<Value, String> {
    let path = &root.join(name);
    let cannot = |error: &dyn std::fmt::Display| format!("{name} cannot be read: {error}");
    let length = fs::metadata(path).map_err(|error| cannot(&error))?.len();
    if length > MAX_LIST_BYTES {
        return Err(cannot(&"it is too long"));
    }
    let bytes = fs::read(path).map_err(|error| cannot(&error))?;
    serde_json::from_slice(&bytes).map_err(|error| cannot(&error))
}

/// Parses the hexadecimal digits of a digest.
fn parse(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    if text.len() != 2 * digest.len() || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "list.json";

    fn folder(root: &Path) -> FolderSpec {
        FolderSpec { name: "packages".to_owned(), root: root.to_owned(), read_only: true, list: Some(LIST.to_owned()) }
    }

    fn opened(name: &str, list: &str) -> Result<Packages, String> {
        let root = std::env::temp_dir().join(format!("ses-packages-{}-{name}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join(LIST), list).unwrap();
        let packages = Packages::open(&folder(&root), "1.2.3");
        fs::remove_dir_all(&root).unwrap();
        packages
    }

    #[test]
    fn the_digests_of_a_list_are_read() {
        let list = format!(r#"{{ "pyodide": "1.2.3", "libraries": {{ "a.so": "{}ff" }} }}"#, "00".repeat(31));
        let packages = opened("whole", &list).unwrap();
        let mut digest = Digest::default();
        digest[31] = 255;
        assert_eq!(packages.libraries.into_iter().collect::<Vec<_>>(), [digest]);
    }

    #[test]
    fn a_list_of_another_version_or_with_something_else_than_digests_is_refused() {
        let other = opened("other", r#"{ "pyodide": "1.2.4", "libraries": {} }"#).unwrap_err();
        assert!(other.contains("they were made for Pyodide 1.2.4, this is 1.2.3"), "{other}");
        for digest in [r#""0g""#, "1", r#""""#] {
            let list = format!(r#"{{ "pyodide": "1.2.3", "libraries": {{ "a.so": {digest} }} }}"#);
            assert!(opened("digest", &list).unwrap_err().contains("has an invalid digest"), "{digest}");
        }
        assert!(opened("broken", "{").unwrap_err().contains("cannot be read"));
        assert!(
            Packages::open(&folder(Path::new("/nowhere")), "1.2.3").unwrap_err().contains("ses-executor python add")
        );
    }
}
