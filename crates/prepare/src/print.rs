//! Prints a syntax tree, and records positions.

mod writer;

use swc_common::{SourceMap, Span, sync::Lrc};
use swc_ecma_ast::{Module, Script, Stmt};
use swc_ecma_codegen::{Config, Emitter, Node};

use super::Form;
use super::positions::{PositionMap, Source};
use super::transform::Publication;
use writer::Writer;

/// The script of a guest program. `source` is the text that `body` was parsed from.
pub(super) fn program(source: Source, publication: Publication, body: Vec<Stmt>, form: Form) -> (String, PositionMap) {
    let Publication { head: first, ahead, before, after } = publication;
    let mut writer = Writer::new(source.code.len());
    let (head, tail) = match form {
        Form::Script => ("", ""),
        Form::Function => ("(() => {\n", "})"),
        Form::AsyncFunction => ("(async () => {\n", "})"),
    };
    writer.text(head);
    writer.text("\"use strict\";\n");
    writer.text(&first);
    if !ahead.is_empty() {
        writer.end_line();
        statements(ahead, &mut writer);
    }
    writer.text(&before);
    statements(body, &mut writer);
    writer.text(&after);
    writer.text(tail);
    writer.finish(source)
}

fn statements(body: Vec<Stmt>, writer: &mut Writer) {
    emit(&Script { span: Span::default(), body, shebang: None }, writer);
    writer.end_line();
}

/// A host-provided module.
pub(super) fn module(source: Source, mut module: Module) -> (String, PositionMap) {
    module.shebang = None;
    let mut writer = Writer::new(source.code.len());
    emit(&module, &mut writer);
    writer.finish(source)
}

fn emit(node: &impl Node, writer: &mut Writer) {
    // The emitter uses the source map only to copy trailing commas from source text. Without files, it finds none.
    let cm = Lrc::new(SourceMap::default());
    let mut emitter = Emitter { cfg: Config::default(), cm, comments: None, wr: writer };
    // The writer never fails, and the emitter fails only if the writer does.
    let _ = node.emit_with(&mut emitter);
}
