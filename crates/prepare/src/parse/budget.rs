//! Bounds the time and the stack of a parser.
//!
//! TypeScript is ambiguous: after `a<b`, or at `<T>(` and `a ? (b) : c =>`, the parser first tries one grammar. If that
//! fails, it goes back and reads the same source by another one. Nested, this takes time exponential in the nesting.
//! Therefore all tokens are counted, including those that the parser reads again. At the limit, the source ends for the
//! parser, whatever it tries next. It then finishes almost immediately.
//!
//! The parser cannot be stopped at a depth either, but it takes a token for each level. If the bytes do not show how
//! deep the source is (`nesting.rs`), the stack is checked at each token. The errors are counted as well, since there
//! may be one for each pair of labels.
//!
//! This is why the parser of `swc_ecma_lexer` is used here. `swc_ecma_parser` shares its tree, its errors and its
//! tests, but hides a type that wrapping its token source requires.

use std::cell::Cell;

use swc_common::{BytePos, Spanned, input::StringInput};
use swc_ecma_ast::EsVersion;
use swc_ecma_lexer::common::{context::Context, input::Tokens, syntax::SyntaxFlags};
use swc_ecma_lexer::error::Error;
use swc_ecma_lexer::lexer::{TokenContexts, TokenFlags};
use swc_ecma_lexer::token::TokenAndSpan;
use swc_ecma_lexer::{Lexer, Syntax};

/// Tokens that a source of `bytes` may take: six times the number in dense code that is read once. A token takes at
/// most 1 µs.
fn tokens_for(bytes: usize) -> usize {
    bytes.saturating_mul(3).saturating_add(10_000)
}

/// Maximum errors of one text. Texts with more have an error for each pair of equal labels.
const MAX_ERRORS: usize = 10_000;

/// The limits of a parser.
pub(super) struct Budget {
    tokens: Cell<usize>,
    errors: Cell<usize>,
    /// The stack that must remain.
    floor: usize,
    /// Where the text was cut because of its depth or its errors.
    too_deep_at: Cell<Option<BytePos>>,
}

impl Budget {
    /// For a source of this size. `stack`: the maximum stack for the parser, if it has to be checked.
    pub(super) fn new(bytes: usize, stack: Option<usize>) -> Self {
        // If the system does not report the remaining stack, nothing may be used.
        let left = stacker::remaining_stack().unwrap_or_default();
        Budget {
            tokens: Cell::new(tokens_for(bytes)),
            errors: Cell::new(MAX_ERRORS),
            floor: stack.map_or(0, |stack| left.saturating_sub(stack).max(1)),
            too_deep_at: Cell::default(),
        }
    }

    pub(super) fn too_deep_at(&self) -> Option<BytePos> {
        self.too_deep_at.get()
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.tokens.get() == 0
    }

    fn is_too_deep(&self) -> bool {
        self.floor > 0 && stacker::remaining_stack().unwrap_or_default() < self.floor
    }

    fn end(&self, at: BytePos) {
        self.too_deep_at.set(self.too_deep_at.get().or(Some(at)));
        self.tokens.set(0);
    }
}

/// A lexer that ends the text when the budget is used up.
#[derive(Clone)]
pub(super) struct Budgeted<'a> {
    lexer: Lexer<'a>,
    budget: &'a Budget,
}

impl<'a> Budgeted<'a> {
    pub(super) fn new(syntax: Syntax, input: StringInput<'a>, budget: &'a Budget) -> Self {
        Budgeted { lexer: Lexer::new(syntax, EsVersion::EsNext, input, None), budget }
    }
}

impl Iterator for Budgeted<'_> {
    type Item = TokenAndSpan;

    fn next(&mut self) -> Option<TokenAndSpan> {
        let left = self.budget.tokens.get().checked_sub(1)?;
        self.budget.tokens.set(left);
        let token = self.lexer.next()?;
        if self.budget.is_too_deep() {
            self.budget.end(token.span.lo);
            return None;
        }
        Some(token)
    }
}

impl<'a> Tokens<TokenAndSpan> for Budgeted<'a> {
    type Checkpoint = <Lexer<'a> as Tokens<TokenAndSpan>>::Checkpoint;

    fn set_ctx(&mut self, ctx: Context) {
        self.lexer.set_ctx(ctx);
    }

    fn ctx(&self) -> Context {
        self.lexer.ctx()
    }

    fn ctx_mut(&mut self) -> &mut Context {
        self.lexer.ctx_mut()
    }

    fn syntax(&self) -> SyntaxFlags {
        self.lexer.syntax()
    }

    fn target(&self) -> EsVersion {
        self.lexer.target()
    }

    fn checkpoint_save(&self) -> Self::Checkpoint {
        self.lexer.checkpoint_save()
    }

    fn checkpoint_load(&mut self, checkpoint: Self::Checkpoint) {
        self.lexer.checkpoint_load(checkpoint);
    }

    fn start_pos(&self) -> BytePos {
        self.lexer.start_pos()
    }

    fn set_expr_allowed(&mut self, allow: bool) {
        self.lexer.set_expr_allowed(allow);
    }

    fn set_next_regexp(&mut self, start: Option<BytePos>) {
        self.lexer.set_next_regexp(start);
    }

    fn token_context(&self) -> &TokenContexts {
        self.lexer.token_context()
    }

    fn token_context_mut(&mut self) -> &mut TokenContexts {
        self.lexer.token_context_mut()
    }

    fn set_token_context(&mut self, contexts: TokenContexts) {
        self.lexer.set_token_context(contexts);
    }

    fn add_error(&mut self, error: Error) {
        match self.budget.errors.get().checked_sub(1) {
            Some(left) => {
                self.budget.errors.set(left);
                self.lexer.add_error(error);
            }
            None => self.budget.end(error.span().lo),
        }
    }

    fn add_module_mode_error(&mut self, error: Error) {
        self.lexer.add_module_mode_error(error);
    }

    fn end_pos(&self) -> BytePos {
        self.lexer.end_pos()
    }

    fn take_errors(&mut self) -> Vec<Error> {
        self.lexer.take_errors()
    }

    fn take_script_module_errors(&mut self) -> Vec<Error> {
        self.lexer.take_script_module_errors()
    }

    fn update_token_flags(&mut self, update: impl FnOnce(&mut TokenFlags)) {
        self.lexer.update_token_flags(update);
    }

    fn token_flags(&self) -> TokenFlags {
        self.lexer.token_flags()
    }
}
