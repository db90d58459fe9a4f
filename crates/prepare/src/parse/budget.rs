//! Bounds the time of the TypeScript parser.
//!
//! TypeScript is ambiguous: after `a<b`, or at `<T>(` and `a ? (b) : c =>`, the parser reads on by one grammar and, if
//! that fails, goes back and reads the same text by another one. Nested, that takes time exponential in the nesting. So
//! its tokens are counted, those that it reads again too. At the limit the text ends for the parser, whatever it tries
//! next; it is then done in no time.
//!
//! This is why the parser of `swc_ecma_lexer` is used here: `swc_ecma_parser`, which shares its tree, its errors and
//! its tests, hides a type without which its source of tokens cannot be wrapped.

use std::cell::Cell;

use swc_common::{BytePos, input::StringInput};
use swc_ecma_ast::EsVersion;
use swc_ecma_lexer::common::{context::Context, input::Tokens, syntax::SyntaxFlags};
use swc_ecma_lexer::error::Error;
use swc_ecma_lexer::lexer::{TokenContexts, TokenFlags};
use swc_ecma_lexer::token::TokenAndSpan;
use swc_ecma_lexer::{Lexer, Syntax};

/// Tokens that a text of `bytes` may take: six times what dense code has, read once. A token takes at most 1 µs.
pub(super) fn for_text(bytes: usize) -> usize {
    bytes.saturating_mul(3).saturating_add(10_000)
}

/// A lexer that ends the text when `left` is used up.
#[derive(Clone)]
pub(super) struct Budgeted<'a> {
    lexer: Lexer<'a>,
    left: &'a Cell<usize>,
}

impl<'a> Budgeted<'a> {
    pub(super) fn new(syntax: Syntax, input: StringInput<'a>, left: &'a Cell<usize>) -> Self {
        Budgeted { lexer: Lexer::new(syntax, EsVersion::EsNext, input, None), left }
    }
}

impl Iterator for Budgeted<'_> {
    type Item = TokenAndSpan;

    fn next(&mut self) -> Option<TokenAndSpan> {
        let left = self.left.get().checked_sub(1)?;
        self.left.set(left);
        self.lexer.next()
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
        self.lexer.add_error(error);
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
