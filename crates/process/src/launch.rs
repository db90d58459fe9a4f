//! The program and the arguments that a worker process is started with.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;

use ses_peer::Confinement;
use ses_protocol::EngineSpec;

/// The program and the addon of workers, and the settings that they take over from the host.
#[derive(Debug)]
pub struct Installation {
    /// The launcher.
    pub program: PathBuf,
    /// The addon that the launcher loads.
    pub addon: PathBuf,
    /// `NAME=value` for the isolate's time zone and locale. Otherwise a worker's environment is empty.
    pub environment: Vec<OsString>,
    /// The engine of the isolates.
    pub engine: Arc<EngineSpec>,
}

/// The purpose of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// To serve its host with an isolate of this kind.
    Serve(Kind),
    /// To fill the cache of the engine if parts of it are missing. Such a process runs no guest code.
    FillCache,
}

/// The properties of a worker that are fixed before it has a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub confinement: Confinement,
    /// The isolate's memory limit, which is fixed when the isolate is made.
    pub memory_limit_bytes: usize,
}

/// Arguments of a worker, in order.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    pub addon: OsString,
    /// The process that starts the worker.
    pub host: u32,
    pub task: Task,
    pub engine: EngineSpec,
    pub environment: Vec<(String, String)>,
}

/// Replaces the argument for the confinement if the task is [`Task::FillCache`].
const FILL_CACHE: &str = "fill-cache";

impl Installation {
    /// # Errors
    ///
    /// A path of the engine is not UTF-8.
    pub fn arguments(&self, task: Task) -> io::Result<Vec<OsString>> {
        let (limit_bytes, word) = match task {
            Task::Serve(Kind { confinement: Confinement::Off, memory_limit_bytes }) => (memory_limit_bytes, "off"),
            Task::Serve(Kind { memory_limit_bytes, .. }) => (memory_limit_bytes, "on"),
            Task::FillCache => (0, FILL_CACHE),
        };
        let engine = self.engine.to_argument()?;
        let texts = [process::id().to_string(), limit_bytes.to_string(), word.to_owned(), engine];
        let mut arguments = vec![self.addon.clone().into_os_string()];
        arguments.extend(texts.into_iter().map(OsString::from));
        arguments.extend(self.environment.iter().cloned());
        Ok(arguments)
    }
}

impl Arguments {
    /// Parses the output of [`Installation::arguments`]. `None` for any other arguments.
    pub fn parse(arguments: &[OsString]) -> Option<Self> {
        let [addon, host, memory_limit_bytes, word, engine, environment @ ..] = arguments else { return None };
        let number = |text: &OsString| text.to_str()?.parse::<u64>().ok();
        let memory_limit_bytes = usize::try_from(number(memory_limit_bytes)?).ok()?;
        let task = match word.to_str()? {
            FILL_CACHE => Task::FillCache,
            "off" => Task::Serve(Kind { confinement: Confinement::Off, memory_limit_bytes }),
            _ => Task::Serve(Kind { confinement: Confinement::BestEffort, memory_limit_bytes }),
        };
        let pair = |text: &OsString| {
            let (name, value) = text.to_str()?.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let environment = environment.iter().map(pair).collect::<Option<_>>()?;
        let engine = EngineSpec::from_argument(engine.to_str()?)?;
        Some(Self { addon: addon.clone(), host: u32::try_from(number(host)?).ok()?, task, engine, environment })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ses_protocol::FolderSpec;

    use super::*;

    #[test]
    fn a_worker_reads_what_its_host_has_written() {
        let kind = Kind { confinement: Confinement::Off, memory_limit_bytes: 128 << 20 };
        let environment = vec![OsString::from("TZ=Europe/Berlin"), OsString::from("LANG=de_DE.UTF-8")];
        let folder = |name: &str, list: Option<&str>| FolderSpec {
            name: name.to_owned(),
            root: "/a \"b\"/ä".into(),
            read_only: list.is_some(),
            list: list.map(str::to_owned),
        };
        let settings = BTreeMap::from([
            ("files".to_owned(), vec!["/npm/a".to_owned(), "a=b, c".to_owned()]),
            ("none".to_owned(), Vec::new()),
        ]);
        let other = EngineSpec {
            name: "other".to_owned(),
            settings,
            cache: Some("/cache".into()),
            folders: vec![folder("data", None), folder("code", Some("list.json"))],
        };
        let mut installation = Installation {
            program: "/launcher".into(),
            addon: "/a b.node".into(),
            environment,
            engine: Arc::default(),
        };
        let parsed = |installation: &Installation, task| {
            Arguments::parse(&installation.arguments(task).expect("UTF-8")).expect("arguments")
        };
        assert_eq!(parsed(&installation, Task::Serve(kind)).engine, EngineSpec::default());
        installation.engine = Arc::new(other.clone());
        let serve = parsed(&installation, Task::Serve(kind));
        assert_eq!(serve.engine, other);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(serve.environment, [pair("TZ", "Europe/Berlin"), pair("LANG", "de_DE.UTF-8")]);
        assert_eq!((serve.addon.to_str(), serve.host), (Some("/a b.node"), process::id()));
        assert_eq!(serve.task, Task::Serve(kind));
        let fill = parsed(&installation, Task::FillCache);
        assert_eq!((fill.task, fill.engine), (Task::FillCache, other));
    }

    #[test]
    fn other_arguments_are_refused() {
        let realm = EngineSpec::default().to_argument().expect("UTF-8");
        for arguments in [
            &[][..],
            &["x"],
            &["x", "1", "2"],
            &["x", "1", "2", "on"],
            &["x", "1", "2", "on", "{}"],
            &["x", "-1", "2", "on", &realm],
            &["x", "1", "2", "on", &realm, "TZ"],
        ] {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert_eq!(Arguments::parse(&arguments), None);
        }
    }
}
