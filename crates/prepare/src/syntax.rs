//! The syntax that swc reads, and its positions.

use swc_common::{BytePos, input::StringInput};
use swc_ecma_parser::{EsSyntax, Syntax, TsSyntax};

use super::goal::Goal;

/// The first position of a source in swc; 0 marks nodes without a position.
pub(super) const FIRST: u32 = 1;
const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(super) fn input(code: &str) -> StringInput<'_> {
    let text = code.strip_prefix(BYTE_ORDER_MARK).unwrap_or(code);
    let start = FIRST + (code.len() - text.len()) as u32;
    StringInput::new(text, BytePos(start), BytePos(start + text.len() as u32))
}

/// A position of swc as an offset into the text.
pub(super) fn offset(position: BytePos) -> u32 {
    position.0.saturating_sub(FIRST)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Jsx {
    Allowed,
    Refused,
}

pub(super) fn javascript(goal: Goal) -> Syntax {
    Syntax::Es(EsSyntax {
        allow_return_outside_function: goal != Goal::HostModule,
        explicit_resource_management: true,
        import_attributes: true,
        ..EsSyntax::default()
    })
}

pub(super) fn typescript(jsx: Jsx) -> Syntax {
    // Decorators are parsed so that the error can say more than the parser does.
    Syntax::Typescript(TsSyntax { decorators: true, tsx: jsx == Jsx::Allowed, ..TsSyntax::default() })
}
