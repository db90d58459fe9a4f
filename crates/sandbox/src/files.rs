//! landlock: a rule set that allows only the mounted folders.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};

use crate::Reach;

/// The newest interface version whose rights are requested. An older system handles the rights that it knows.
const NEWEST: ABI = ABI::V6;

/// Also sets `no_new_privs`, which the system requires.
pub fn close(reach: &[Reach]) -> bool {
    // A folder that does not exist cannot be used.
    let folders = reach.iter().filter_map(|reach| Some((PathFd::new(&reach.folder).ok()?, reach.is_writable)));
    let rules = folders
        .map(|(folder, is_writable)| -> Result<_, RulesetError> { Ok(PathBeneath::new(folder, rights(is_writable))) });
    let restricted = || -> Result<RulesetStatus, RulesetError> {
        let ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?;
        Ok(ruleset.create()?.add_rules(rules)?.restrict_self()?.ruleset)
    };
    restricted().is_ok_and(|status| status != RulesetStatus::NotEnforced)
}

/// The rights in a folder: no links, pipes, devices or programs.
fn rights(is_writable: bool) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::RemoveFile;
    if is_writable { read | write | AccessFs::RemoveDir | AccessFs::Refer } else { read }
}
