//! The subjects of a fleet. A tenant's account maps them to `ses.v1.t.<tenant>.` in the account of the workers.

use ses_protocol::frames::VERSION;

/// Where a message came from, seen by a worker.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrived<'a> {
    /// Empty: the client uses the account of the workers.
    pub tenant: &'a str,
    /// The rest of the subject, without the common beginning.
    pub rest: &'a str,
}

/// The queue group of the workers.
pub const GROUP: &str = "workers";
const ROOT: &str = "ses.v1.";

/// Claims. The version of the frames is a part of the subject, so that a claim reaches only workers of that version.
pub fn open(pool: &str) -> String {
    format!("{ROOT}f{VERSION}.open.{pool}")
}

/// Claims that no worker with room has answered. Workers without room answer them.
pub fn full(pool: &str) -> String {
    format!("{ROOT}f{VERSION}.full.{pool}")
}

pub fn status(pool: &str) -> String {
    format!("{ROOT}status.{pool}")
}

/// All messages for one worker.
pub fn worker(name: &str) -> String {
    format!("{ROOT}w.{name}.>")
}

pub fn ping(worker: &str) -> String {
    format!("{ROOT}w.{worker}.ping")
}

pub fn session(worker: &str, token: &str) -> String {
    format!("{ROOT}w.{worker}.s.{token}")
}

/// The same subject for messages of all tenants.
pub fn of_tenants(subject: &str) -> String {
    format!("{ROOT}t.*.{}", subject.strip_prefix(ROOT).unwrap_or(subject))
}

/// Divides a subject that a worker has received.
pub fn arrived(subject: &str) -> Option<Arrived<'_>> {
    let rest = subject.strip_prefix(ROOT)?;
    match rest.strip_prefix("t.") {
        Some(rest) => rest.split_once('.').map(|(tenant, rest)| Arrived { tenant, rest }),
        None => Some(Arrived { tenant: "", rest }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tenant_is_a_part_of_the_subject() {
        let subject = session("w1", "ab");
        assert_eq!(arrived(&subject), Some(Arrived { tenant: "", rest: "w.w1.s.ab" }));
        assert_eq!(of_tenants(&subject), "ses.v1.t.*.w.w1.s.ab");
        let mapped = arrived("ses.v1.t.acme.w.w1.s.ab");
        assert_eq!(mapped, Some(Arrived { tenant: "acme", rest: "w.w1.s.ab" }));
        assert_eq!(arrived("other.v1.w.w1"), None);
        assert_eq!(arrived("ses.v1.t.acme"), None);
    }
}
