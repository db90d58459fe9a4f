//! The extension that build.rs bakes into the snapshot and that every isolate registers: the same ops in the same
//! order on both sides, because the snapshot refers to them by index. Its JavaScript is only in the snapshot.

use deno_core::v8;

use super::ops::{
    op_final, op_guard_exceeded, op_import, op_log, op_log_open, op_next_window, op_preview_entries, op_swallowed,
};

deno_core::extension!(
    ses_executor,
    ops = [
        op_final,
        op_guard_exceeded,
        op_import,
        op_log,
        op_log_open,
        op_next_window,
        op_preview_entries,
        op_swallowed,
    ],
    global_template_middleware = immutable_prototype,
    docs = "Ops of the executor's bootstrap."
);

/// Guests cannot put an object of theirs behind the global's names.
fn immutable_prototype<'s, 'i>(
    _scope: &mut v8::PinScope<'s, 'i, ()>,
    template: v8::Local<'s, v8::ObjectTemplate>,
) -> v8::Local<'s, v8::ObjectTemplate> {
    template.set_immutable_proto();
    template
}
