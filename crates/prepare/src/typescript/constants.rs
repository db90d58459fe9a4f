//! Bounds what swc computes of enums before the program runs.
//!
//! swc folds constant members, and `const` variables that they may use: `enum E { A = 'ab', B = A + A, … }` doubles
//! with each member. To fold an expression it copies it once for each of its operators.

use std::collections::HashMap;

use swc_common::Spanned;
use swc_ecma_ast::{BinExpr, Expr, Lit, MemberProp, OptChainBase, Tpl};

/// Bytes of text that all folded constants of a program may take together.
const MAX_FOLDED_BYTES: usize = 4 << 20; // 4 MiB

/// Bytes of source that folding one expression may copy.
const MAX_COPIED_BYTES: usize = 1 << 20; // 1 MiB

/// Characters of a number.
const NUMBER_BYTES: usize = 25;

/// Upper bounds for the constants of a program, in the order in which swc computes them.
#[derive(Default)]
pub(super) struct Constants {
    /// The longest text by name, whatever scope or enum the name is in.
    lengths: HashMap<String, usize>,
    longest_member: usize,
    folded: usize,
    /// What members use that has no length yet: swc looks at each member once more at the end.
    unknown: usize,
}

/// What folding one expression takes.
#[derive(Default)]
struct Fold {
    /// Bytes of the resulting text, or of the texts in it.
    bytes: usize,
    /// Operators that are nested.
    levels: usize,
    /// Names without a length.
    unknown: usize,
}

impl Constants {
    /// Notes a `const` variable. `false` when folding it would take too much, in which case swc must not.
    pub(super) fn add_variable(&mut self, name: &str, value: &Expr) -> bool {
        self.add(name, value).is_some()
    }

    /// Notes a member of an enum. `false` when folding it would take too much.
    pub(super) fn add_member(&mut self, name: &str, value: &Expr) -> bool {
        let Some(fold) = self.add(name, value) else {
            return false;
        };
        self.unknown += fold.unknown;
        self.longest_member = self.longest_member.max(fold.bytes);
        self.unknown.saturating_mul(self.longest_member) <= MAX_FOLDED_BYTES
    }

    fn add(&mut self, name: &str, value: &Expr) -> Option<Fold> {
        let fold = self.fold(value);
        // A string literal alone is shared with the source.
        let is_copied = !matches!(value, Expr::Lit(_));
        let source_bytes = value.span().hi.0.saturating_sub(value.span().lo.0) as usize;
        let folded = self.folded.saturating_add(if is_copied { fold.bytes } else { 0 });
        if fold.levels.saturating_mul(source_bytes) > MAX_COPIED_BYTES || folded > MAX_FOLDED_BYTES {
            return None;
        }
        self.folded = folded;
        let length = self.lengths.entry(name.to_owned()).or_default();
        *length = fold.bytes.max(*length);
        Some(fold)
    }

    fn fold(&self, value: &Expr) -> Fold {
        match value {
            Expr::Lit(Lit::Str(text)) => Fold { bytes: text.value.len(), ..Fold::default() },
            Expr::Lit(Lit::Num(_)) => Fold { bytes: NUMBER_BYTES, ..Fold::default() },
            Expr::Ident(name) => self.named(&name.sym),
            Expr::Member(member) => self.property(&member.prop),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => self.property(&member.prop).nested(),
                OptChainBase::Call(_) => Fold::default(),
            },
            Expr::Paren(inner) => self.fold(&inner.expr),
            Expr::Unary(unary) => self.fold(&unary.arg).nested(),
            Expr::Bin(BinExpr { left, right, .. }) => self.fold(left).and(self.fold(right)).nested(),
            Expr::Tpl(template) => self.template(template).nested(),
            Expr::TsAs(inner) => self.fold(&inner.expr),
            Expr::TsNonNull(inner) => self.fold(&inner.expr),
            Expr::TsTypeAssertion(inner) => self.fold(&inner.expr),
            Expr::TsConstAssertion(inner) => self.fold(&inner.expr),
            Expr::TsInstantiation(inner) => self.fold(&inner.expr),
            Expr::TsSatisfies(inner) => self.fold(&inner.expr),
            // Stays as it is.
            _ => Fold::default(),
        }
    }

    fn template(&self, template: &Tpl) -> Fold {
        let texts = template.quasis.iter().map(|text| text.raw.len()).sum();
        let start = Fold { bytes: texts, ..Fold::default() };
        template.exprs.iter().fold(start, |all, inner| all.and(self.fold(inner)))
    }

    fn property(&self, property: &MemberProp) -> Fold {
        match property {
            MemberProp::Ident(name) => self.named(&name.sym),
            MemberProp::Computed(computed) => match &*computed.expr {
                Expr::Lit(Lit::Str(name)) => self.named(&name.value.to_string_lossy()),
                // A template that is a name.
                Expr::Tpl(_) => Fold { bytes: self.longest_member, unknown: 1, levels: 0 },
                _ => Fold::default(),
            },
            MemberProp::PrivateName(_) => Fold::default(),
        }
    }

    fn named(&self, name: &str) -> Fold {
        match self.lengths.get(name) {
            Some(&bytes) => Fold { bytes, ..Fold::default() },
            None => Fold { unknown: 1, ..Fold::default() },
        }
    }
}

impl Fold {
    fn nested(mut self) -> Self {
        self.levels += 1;
        self
    }

    fn and(self, other: Fold) -> Self {
        Fold {
            bytes: self.bytes.saturating_add(other.bytes),
            levels: self.levels.max(other.levels),
            unknown: self.unknown + other.unknown,
        }
    }
}
