//! Rule `reserved_identifier`: the names that generated code uses cannot be bound, read or used as a label.

use ses_protocol::{Diagnostic, Location};

/// First characters of every name that generated code uses.
pub(in super::super) const RESERVED_PREFIX: &str = "__smol_";

/// `name` is the identifier after its Unicode escapes were decoded.
pub(in super::super) fn is_reserved(name: &str) -> bool {
    name.starts_with(RESERVED_PREFIX)
}

pub(in super::super) fn reserved_identifier(name: &str, at: Location) -> Diagnostic {
    let shown: String = name.chars().take(64).collect();
    Diagnostic::error(
        "reserved_identifier",
        format!(
            "the identifier {shown:?} is reserved: names that begin with {RESERVED_PREFIX:?} are reserved for the executor"
        ),
    )
    .at(at)
    .with_fix("Choose another name")
}
