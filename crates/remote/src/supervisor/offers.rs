//! Which sessions a worker can serve.

use std::collections::BTreeSet;
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
    /// The code in the engine's folders: `name==version digest` for each package.
    pub packages: BTreeSet<String>,
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
/// The setting with the packages that a session needs, in the form of [`Offer::packages`].
const PACKAGES: &str = "packages";
/// The most packages that a refusal names.
const MAX_NAMED: usize = 5;
/// Variables that a claim may set in a process. Others could make the process load code.
const VARIABLES: [&str; 4] = ["TZ", "LC_ALL", "LC_MESSAGES", "LANG"];
/// The longest value of a variable.
const MAX_VALUE_BYTES: usize = 128;

/// What a worker offers, and the limits that it sets.
pub struct Offers {
    offers: Vec<Kept>,
    /// The least confinement.
    confinement: Confinement,
    max_memory_bytes: usize,
}

/// An [`Offer`] whose engine many sessions share.
struct Kept {
    engine: Arc<EngineSpec>,
    digest: Option<String>,
    packages: BTreeSet<String>,
}

impl From<Offer> for Kept {
    fn from(Offer { engine, digest, packages }: Offer) -> Self {
        Self { engine: Arc::new(engine), digest, packages }
    }
}

impl Offers {
    /// A claim gets the first offer with its engine that has its packages.
    pub fn new(offers: Vec<Offer>, confinement: Confinement, max_memory_bytes: usize) -> Self {
        Self { offers: offers.into_iter().map(Into::into).collect(), confinement, max_memory_bytes }
    }

    /// # Errors
    ///
    /// Why the worker cannot serve such a session.
    pub fn find(&self, claim: &Claim) -> Result<Request, String> {
        if claim.memory_limit_bytes > self.max_memory_bytes {
            return Err(format!("the worker allows sessions {} MB of memory at most", self.max_memory_bytes >> 20));
        }
        let engine = self.engine(claim)?;
        if !claim.environment.iter().all(|pair| is_variable(pair)) {
            return Err("the time zone or locale is not accepted".to_owned());
        }
        // The order of the variants is from the strictest one to none.
        let confinement = self.confinement.min(claim.confinement.into());
        Ok(Request { engine, confinement, environment: claim.environment.clone() })
    }

    fn engine(&self, Claim { engine: name, settings, .. }: &Claim) -> Result<Arc<EngineSpec>, String> {
        let offers: Vec<_> = self.offers.iter().filter(|offer| offer.engine.name == *name).collect();
        let Some(last) = offers.last() else { return Err(format!("the worker has no engine {name}")) };
        let digest = settings.get(DIGEST).and_then(|values| values.first());
        if digest.is_some() && !offers.iter().any(|offer| offer.digest.as_ref() == digest) {
            return Err(format!("the worker has other code of the engine {name}"));
        }
        let wanted = settings.get(PACKAGES).map(Vec::as_slice).unwrap_or_default();
        let found = offers.iter().find(|offer| wanted.iter().all(|package| offer.packages.contains(package)));
        found.map(|offer| offer.engine.clone()).ok_or_else(|| refusal_of(wanted, &last.packages))
    }
}

/// Names the packages that a worker does not have.
fn refusal_of(wanted: &[String], packages: &BTreeSet<String>) -> String {
    let missing: Vec<_> = wanted.iter().filter(|&package| !packages.contains(package)).collect();
    let name = |package: &&String| package.split(' ').next().unwrap_or_default().chars().take(80).collect::<String>();
    let names: Vec<_> = missing.iter().take(MAX_NAMED).map(name).collect();
    let more = if missing.len() > MAX_NAMED { " and others" } else { "" };
    format!("the worker does not have these packages, or has them from other wheels: {}{more}", names.join(", "))
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
        let offer = |name: &str, digest: Option<&str>, packages: &[&str]| Offer {
            engine: EngineSpec { cache: packages.first().map(Into::into), ..EngineSpec::named(name) },
            digest: digest.map(str::to_owned),
            packages: packages.iter().map(|&package| package.to_owned()).collect(),
        };
        let packages = ["one==1.0 aa", "two==2.0 bb"];
        let offers =
            vec![offer("realm", None, &[]), offer("other", Some("a"), &[]), offer("other", Some("a"), &packages)];
        Offers::new(offers, Confinement::Required, 1 << 20)
    }

    #[test]
    fn a_claim_gets_packages_only_if_the_worker_has_all_that_it_names() {
        let found = |packages: &[&str]| {
            let names = packages.iter().map(|&package| package.to_owned()).collect();
            let settings = BTreeMap::from([(PACKAGES.to_owned(), names)]);
            let claim = Claim { engine: "other".to_owned(), settings, ..claim() };
            offers().find(&claim).map(|request| request.engine.cache.is_some())
        };
        assert_eq!(found(&[]), Ok(false));
        assert_eq!(found(&["two==2.0 bb"]), Ok(true));
        assert_eq!(found(&["two==2.0 bb", "one==1.0 aa"]), Ok(true));
        let refusal = "the worker does not have these packages, or has them from other wheels: ";
        assert_eq!(found(&["one==1.0 bb", "two==2.0 bb", "three==3 cc"]), Err(format!("{refusal}one==1.0, three==3")));
        let many = ["1 a", "2 a", "3 a", "4 a", "5 a", "6 a"];
        assert_eq!(found(&many), Err(format!("{refusal}1, 2, 3, 4, 5 and others")));
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
