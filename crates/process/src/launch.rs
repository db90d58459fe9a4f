//! What a worker process is started with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;

use ses_protocol::{MountSpec, PythonSpec};

/// Whether a worker must have a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confinement {
    /// No worker without all of it.
    Required,
    /// As much of it as the system has.
    BestEffort,
    /// None, except for the limits on resources.
    Off,
}

/// Program and addon of workers, and what they must know of the host's surroundings.
#[derive(Debug)]
pub struct Installation {
    /// The launcher.
    pub program: PathBuf,
    /// What it loads.
    pub addon: PathBuf,
    /// `NAME=value`, for the isolate's time zone and locale. A worker's environment is empty.
    pub surroundings: Vec<OsString>,
    /// Where isolates have Python from; absent: they are hardened realms.
    pub python: Option<Arc<PythonSpec>>,
}

/// What a process is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// To serve its host with an isolate of this kind.
    Serve(Kind),
    /// To leave the snapshot in its place that workers with Python start from, if there is none. Such a process runs no guest code.
    MakeSnapshot,
}

/// What tells workers apart before they have a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub confinement: Confinement,
    /// The isolate's limit, which is fixed when it is made.
    pub memory_limit_bytes: usize,
}

/// Arguments of a worker, in order.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    pub addon: OsString,
    /// The process that starts it.
    pub host: u32,
    pub task: Task,
    pub python: Option<PythonSpec>,
    pub surroundings: Vec<(String, String)>,
}

/// What stands between the arguments of every worker and `NAME=value`, if the worker is to have Python. Its eight follow.
const PYTHON: &str = "python";
/// Stands in the place of the confinement for [`Task::MakeSnapshot`].
const SNAPSHOT: &str = "snapshot";
/// What a worker may do with the folder that is mounted.
const READ: &str = "read";
const WRITE: &str = "write";
/// Between names of modules, which have none.
const SEPARATOR: &str = ",";

impl Installation {
    pub fn arguments(&self, task: Task) -> Vec<OsString> {
        let (limit_bytes, word) = match task {
            Task::Serve(Kind { confinement: Confinement::Off, memory_limit_bytes }) => (memory_limit_bytes, "off"),
            Task::Serve(Kind { memory_limit_bytes, .. }) => (memory_limit_bytes, "on"),
            Task::MakeSnapshot => (0, SNAPSHOT),
        };
        let numbers = [process::id().to_string(), limit_bytes.to_string(), word.to_owned()];
        let mut arguments = vec![self.addon.clone().into_os_string()];
        arguments.extend(numbers.into_iter().map(OsString::from));
        if let Some(PythonSpec { pyodide, guest, prelude, modules, cache, mount, packages }) = self.python.as_deref() {
            arguments.push(PYTHON.into());
            arguments.extend([pyodide, guest, prelude].map(|path| path.clone().into_os_string()));
            arguments.push(modules.join(SEPARATOR).into());
            arguments.push(cache.clone().unwrap_or_default().into_os_string());
            // Without a folder the access says nothing.
            let access = if mount.as_ref().is_some_and(|mount| mount.read_only) { READ } else { WRITE };
            arguments.push(mount.as_ref().map(|mount| mount.root.clone()).unwrap_or_default().into_os_string());
            arguments.push(access.into());
            arguments.push(packages.clone().unwrap_or_default().into_os_string());
        }
        arguments.extend(self.surroundings.iter().cloned());
        arguments
    }
}

impl Arguments {
    /// What [`Installation::arguments`] has made. `None`: something else.
    pub fn parse(arguments: &[OsString]) -> Option<Self> {
        let [addon, host, memory_limit_bytes, word, surroundings @ ..] = arguments else { return None };
        let number = |text: &OsString| text.to_str()?.parse::<u64>().ok();
        let memory_limit_bytes = usize::try_from(number(memory_limit_bytes)?).ok()?;
        let task = match word.to_str()? {
            SNAPSHOT => Task::MakeSnapshot,
            "off" => Task::Serve(Kind { confinement: Confinement::Off, memory_limit_bytes }),
            _ => Task::Serve(Kind { confinement: Confinement::BestEffort, memory_limit_bytes }),
        };
        let pair = |text: &OsString| {
            let (name, value) = text.to_str()?.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let (python, surroundings) = match surroundings {
            [is_python, pyodide, guest, prelude, modules, cache, mount, access, packages, surroundings @ ..]
                if is_python == PYTHON =>
            {
                let modules = modules.to_str()?.split(SEPARATOR).filter(|name| !name.is_empty());
                let python = PythonSpec {
                    pyodide: pyodide.into(),
                    guest: guest.into(),
                    prelude: prelude.into(),
                    modules: modules.map(str::to_owned).collect(),
                    cache: (!cache.is_empty()).then(|| cache.into()),
                    mount: (!mount.is_empty())
                        .then(|| MountSpec { root: mount.into(), read_only: access.as_os_str() == READ }),
                    packages: (!packages.is_empty()).then(|| packages.into()),
                };
                (Some(python), surroundings)
            }
            _ => (None, surroundings),
        };
        let surroundings = surroundings.iter().map(pair).collect::<Option<_>>()?;
        Some(Self { addon: addon.clone(), host: u32::try_from(number(host)?).ok()?, task, python, surroundings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_reads_what_its_host_has_written() {
        let kind = Kind { confinement: Confinement::Off, memory_limit_bytes: 128 << 20 };
        let surroundings = vec![OsString::from("TZ=Europe/Berlin"), OsString::from("LANG=de_DE.UTF-8")];
        let python = PythonSpec {
            pyodide: "/npm/pyodide".into(),
            guest: "/guest.js".into(),
            prelude: "/prelude".into(),
            modules: vec!["json".to_owned(), "os.path".to_owned()],
            cache: None,
            mount: Some(MountSpec { root: "/work".into(), read_only: true }),
            packages: Some("/packages".into()),
        };
        let mut installation =
            Installation { program: "/launcher".into(), addon: "/a b.node".into(), surroundings, python: None };
        assert_eq!(Arguments::parse(&installation.arguments(Task::Serve(kind))).expect("arguments").python, None);
        installation.python = Some(Arc::new(python.clone()));
        let parsed = Arguments::parse(&installation.arguments(Task::Serve(kind))).expect("arguments");
        assert_eq!(parsed.python, Some(python));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(parsed.surroundings, [pair("TZ", "Europe/Berlin"), pair("LANG", "de_DE.UTF-8")]);
        assert_eq!((parsed.addon.to_str(), parsed.host), (Some("/a b.node"), process::id()));
        assert_eq!(parsed.task, Task::Serve(kind));
        let parsed = Arguments::parse(&installation.arguments(Task::MakeSnapshot)).expect("arguments");
        assert_eq!((parsed.task, parsed.python.is_some()), (Task::MakeSnapshot, true));
    }

    #[test]
    fn other_arguments_are_refused() {
        for arguments in [&[][..], &["x"], &["x", "1", "2"], &["x", "-1", "2", "on"], &["x", "1", "2", "on", "TZ"]] {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert_eq!(Arguments::parse(&arguments), None);
        }
    }
}
