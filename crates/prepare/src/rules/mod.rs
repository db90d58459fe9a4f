//! The validation rules, one file per subject.

pub(super) mod globals;
pub(super) mod identifiers;
pub(super) mod imports;
pub(super) mod mistakes;
pub(super) mod text;
pub(super) mod typescript;
