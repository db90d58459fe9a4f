//! Syntax tree to text, with the positions of what it prints.

mod writer;

use swc_common::{SourceMap, Span, sync::Lrc};
use swc_ecma_ast::{Module, Script, Stmt};
use swc_ecma_codegen::{Config, Emitter, Node};

use super::Form;
use super::positions::{PositionMap, Source};
use super::transform::Publication;
use writer::Writer;

/// The script of a guest program. `source` is the text that `body` was parsed from.
pub(super) fn program(source: Source, publication: &Publication, body: Vec<Stmt>, form: Form) -> (String, PositionMap) {
    let mut writer = Writer::new(source.code.len());
    let (head, tail) = match form {
        Form::Script => ("", ""),
        Form::Function => ("(() => {\n", "})"),
        Form::AsyncFunction => ("(async () => {\n", "})"),
    };
    writer.text(head);
    writer.text("\"use strict\";\n");
    writer.text(&publication.before);
    let script = Script { span: Span::default(), body, shebang: None };
    emit(&script, &mut writer);
    writer.end_line();
    writer.text(&publication.after);
    writer.text(tail);
    writer.finish(source)
}

/// A host-provided module.
pub(super) fn module(source: Source, mut module: Module) -> (String, PositionMap) {
    module.shebang = None;
    let mut writer = Writer::new(source.code.len());
    emit(&module, &mut writer);
    writer.finish(source)
}

fn emit(node: &impl Node, writer: &mut Writer) {
    // The source map is only asked for source text to copy trailing commas from; without files it has none.
    let cm = Lrc::new(SourceMap::default());
    let mut emitter = Emitter { cfg: Config::default(), cm, comments: None, wr: writer };
    // The writer never fails, and the emitter fails only with it.
    let _ = node.emit_with(&mut emitter);
}
