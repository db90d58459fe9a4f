//! Errors of guest code, as hints are given about them.

use crate::realm::scripts::Script;
use ses_protocol::Location;

/// An error of guest code that nothing handled.
pub struct Uncaught<'a> {
    pub name: &'a str,
    pub message: &'a str,
    pub at: Option<Location>,
    pub script: &'a Script,
}
