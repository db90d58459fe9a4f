//! What a worker process is started with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process;

/// Whether a worker must have a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confinement {
    /// No worker without all of it.
    Required,
    /// As much of it as the system has.
    BestEffort,
    /// None, but for the limits on resources.
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
    pub kind: Kind,
    pub surroundings: Vec<(String, String)>,
}

impl Installation {
    pub fn arguments(&self, kind: Kind) -> Vec<OsString> {
        let confinement = match kind.confinement {
            Confinement::Off => "off",
            Confinement::Required | Confinement::BestEffort => "on",
        };
        let numbers = [process::id().to_string(), kind.memory_limit_bytes.to_string(), confinement.to_owned()];
        let mut arguments = vec![self.addon.clone().into_os_string()];
        arguments.extend(numbers.into_iter().map(OsString::from));
        arguments.extend(self.surroundings.iter().cloned());
        arguments
    }
}

impl Arguments {
    /// What [`Installation::arguments`] has made. `None`: something else.
    pub fn parse(arguments: &[OsString]) -> Option<Self> {
        let [addon, host, memory_limit_bytes, confinement, surroundings @ ..] = arguments else { return None };
        let number = |text: &OsString| text.to_str()?.parse::<u64>().ok();
        let kind = Kind {
            confinement: match confinement.to_str()? {
                "off" => Confinement::Off,
                _ => Confinement::BestEffort,
            },
            memory_limit_bytes: usize::try_from(number(memory_limit_bytes)?).ok()?,
        };
        let pair = |text: &OsString| {
            let (name, value) = text.to_str()?.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let surroundings = surroundings.iter().map(pair).collect::<Option<_>>()?;
        Some(Self { addon: addon.clone(), host: u32::try_from(number(host)?).ok()?, kind, surroundings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_reads_what_its_host_has_written() {
        let kind = Kind { confinement: Confinement::Off, memory_limit_bytes: 128 << 20 };
        let surroundings = vec![OsString::from("TZ=Europe/Berlin"), OsString::from("LANG=de_DE.UTF-8")];
        let installation = Installation { program: "/launcher".into(), addon: "/a b.node".into(), surroundings };
        let parsed = Arguments::parse(&installation.arguments(kind)).expect("arguments");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(parsed.surroundings, [pair("TZ", "Europe/Berlin"), pair("LANG", "de_DE.UTF-8")]);
        assert_eq!((parsed.addon.to_str(), parsed.host, parsed.kind), (Some("/a b.node"), process::id(), kind));
    }

    #[test]
    fn other_arguments_are_refused() {
        for arguments in [&[][..], &["x"], &["x", "1", "2"], &["x", "-1", "2", "on"], &["x", "1", "2", "on", "TZ"]] {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert_eq!(Arguments::parse(&arguments), None);
        }
    }
}
