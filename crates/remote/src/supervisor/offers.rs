//! Which sessions a worker can serve.

use std::sync::Arc;

use ses_peer::Confinement;
use ses_process::ProcessBackend;
use ses_protocol::EngineSpec;

use crate::claim::Claim;

/// An engine of a worker.
pub struct Offer {
    /// With the paths of this machine.
    pub engine: EngineSpec,
    /// Identifies the code of the engine. A claim with another one is refused.
    pub digest: Option<String>,
}

/// A session that a worker can serve.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    pub engine: Arc<EngineSpec>,
    pub confinement: Confinement,
    /// `NAME=value` for time zone and locale.
    pub environment: Vec<String>,
}

/// Makes processes for a request.
pub type Backends = Arc<dyn Fn(Request) -> Arc<ProcessBackend> + Send + Sync>;

/// The setting with the digest of an engine's code.
const DIGEST: &str = "digest";
/// Variables that a claim may set in a process. Others could make the process load code.
const VARIABLES: [&str; 4] = ["TZ", "LC_ALL", "LC_MESSAGES", "LANG"];
/// The longest value of a variable.
const MAX_VALUE_BYTES: usize = 128;

/// What a worker offers, and the limits that it sets.
pub struct Offers {
    offers: Vec<(Arc<EngineSpec>, Option<String>)>,
    /// The least confinement.
    confinement: Confinement,
    max_memory_bytes: usize,
}

impl Offers {
    pub fn new(offers: Vec<Offer>, confinement: Confinement, max_memory_bytes: usize) -> Self {
        let offers = offers.into_iter().map(|Offer { engine, digest }| (Arc::new(engine), digest)).collect();
        Self { offers, confinement, max_memory_bytes }
    }

    /// # Errors
    ///
    /// Why the worker cannot serve such a session.
    pub fn find(&self, claim: &Claim) -> Result<Request, String> {
        if claim.memory_limit_bytes > self.max_memory_bytes {
            return Err(format!("the worker allows sessions {} MB of memory at most", self.max_memory_bytes >> 20));
        }
        let found = self.offers.iter().find(|(engine, _)| engine.name == claim.engine);
        let Some((engine, digest)) = found else { return Err(format!("the worker has no engine {}", claim.engine)) };
        let wanted = claim.settings.get(DIGEST).and_then(|values| values.first());
        if wanted.is_some() && wanted != digest.as_ref() {
            return Err(format!("the worker has other code of the engine {}", claim.engine));
        }
        if !claim.environment.iter().all(|pair| is_variable(pair)) {
            return Err("the time zone or locale is not accepted".to_owned());
        }
        // The order of the variants is from the strictest one to none.
        let confinement = self.confinement.min(claim.confinement.into());
        Ok(Request { engine: engine.clone(), confinement, environment: claim.environment.clone() })
    }
}

fn is_variable(pair: &str) -> bool {
    let Some((name, value)) = pair.split_once('=') else { return false };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-+.@".contains(&byte);
    VARIABLES.contains(&name)
        && value.len() <= MAX_VALUE_BYTES
        && value.bytes().all(is_plain)
        // A path would name a file.
        && !value.starts_with('/')
        && !value.contains("..")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::claim::Confined;

    fn claim() -> Claim {
        Claim {
            memory_limit_bytes: 1 << 20,
            confinement: Confined::Off,
            engine: "realm".to_owned(),
            settings: BTreeMap::new(),
            environment: vec!["TZ=Europe/Berlin".to_owned(), "LANG=de_DE.UTF-8".to_owned()],
        }
    }

    fn offers() -> Offers {
        let offer = |name: &str, digest: Option<&str>| Offer {
            engine: EngineSpec::named(name),
            digest: digest.map(str::to_owned),
        };
        Offers::new(vec![offer("realm", None), offer("other", Some("a"))], Confinement::Required, 1 << 20)
    }

    #[test]
    fn the_worker_decides_how_much_confinement_there_is_at_least() {
        assert_eq!(offers().find(&claim()).map(|request| request.confinement), Ok(Confinement::Required));
        let offers = Offers { confinement: Confinement::Off, ..offers() };
        let strict = Claim { confinement: Confined::Required, ..claim() };
        assert_eq!(offers.find(&strict).map(|request| request.confinement), Ok(Confinement::Required));
    }

    #[test]
    fn claims_that_a_worker_cannot_serve_are_refused() {
        let digest = |digest: &str| BTreeMap::from([(DIGEST.to_owned(), vec![digest.to_owned()])]);
        let other = Claim { engine: "other".to_owned(), ..claim() };
        assert!(offers().find(&Claim { settings: digest("a"), ..other.clone() }).is_ok());
        for refused in [
            Claim { settings: digest("b"), ..other },
            Claim { engine: "none".to_owned(), ..claim() },
            Claim { memory_limit_bytes: 2 << 20, ..claim() },
        ] {
            assert!(offers().find(&refused).is_err(), "{refused:?}");
        }
        for pair in
            ["LD_PRELOAD=a.so", "TZ=/etc/passwd", "TZ=:../../a", "TZ", "LANG=a\nb", &format!("TZ={}", "a".repeat(129))]
        {
            let refused = Claim { environment: vec![pair.to_owned()], ..claim() };
            assert!(offers().find(&refused).is_err(), "{pair:?}");
        }
    }
}
