//! landlock: a set of rules that allows nothing.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};

/// The newest interface whose rights are asked for; an older system handles those that it knows.
const NEWEST: ABI = ABI::V6;

/// Also sets `no_new_privs`, which the system asks for.
pub fn close() -> bool {
    let restricted = || -> Result<RulesetStatus, RulesetError> {
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?;
        Ok(rules.create()?.restrict_self()?.ruleset)
    };
    restricted().is_ok_and(|status| status != RulesetStatus::NotEnforced)
}
