//! The first message of a session: what it needs, and which worker serves it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use ses_peer::Confinement;

/// The longest claim and the longest answer. 64 KiB.
const MAX_BYTES: usize = 64 << 10;

/// What a session needs from a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub memory_limit_bytes: usize,
    pub confinement: Confined,
    /// The engine's name.
    pub engine: String,
    /// Values by name. Only the worker's offers interpret them.
    pub settings: BTreeMap<String, Vec<String>>,
    /// `NAME=value` for time zone and locale.
    pub environment: Vec<String>,
}

/// [`Confinement`] as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confined {
    Required,
    BestEffort,
    Off,
}

/// The worker that serves a session, and the address of the session.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
    pub worker: String,
    pub node: String,
    pub token: String,
}

impl From<Confinement> for Confined {
    fn from(confinement: Confinement) -> Self {
        match confinement {
            Confinement::Required => Self::Required,
            Confinement::BestEffort => Self::BestEffort,
            Confinement::Off => Self::Off,
        }
    }
}

impl From<Confined> for Confinement {
    fn from(confined: Confined) -> Self {
        match confined {
            Confined::Required => Self::Required,
            Confined::BestEffort => Self::BestEffort,
            Confined::Off => Self::Off,
        }
    }
}

pub fn bytes_of(message: &impl Serialize) -> Vec<u8> {
    // Maps with string keys can always be written.
    serde_json::to_vec(message).unwrap_or_default()
}

/// `None`: not such a message, or a message that is too long.
pub fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let claim = Claim {
            memory_limit_bytes: 1 << 27,
            confinement: Confined::BestEffort,
            engine: "realm".to_owned(),
            settings: BTreeMap::from([("digest".to_owned(), vec!["a".to_owned()])]),
            environment: vec!["TZ=UTC".to_owned()],
        };
        assert_eq!(read(&bytes_of(&claim)), Some(claim));
    }

    #[test]
    fn other_claims_are_refused() {
        for text in ["", "{}", "[]", "nonsense", &format!("\"{}\"", "x".repeat(MAX_BYTES))] {
            assert_eq!(read::<Claim>(text.as_bytes()), None);
        }
    }
}
