//! Native functions of the bootstrap. Those that concern the executor delegate to its [`Bridge`].

use std::cell::RefCell;
use std::rc::Rc;

use deno_core::{OpState, op2, v8};

use super::bridge::Bridge;

/// The isolate's bridge; none while the snapshot is made. The borrow of the state ends before the bridge is called,
/// because a bridge may run JavaScript, which may call ops.
fn bridge(state: &RefCell<OpState>) -> Option<Rc<dyn Bridge>> {
    state.borrow().try_borrow::<Rc<dyn Bridge>>().cloned()
}

#[op2(nofast)]
pub fn op_log_open(state: Rc<RefCell<OpState>>, level: u32) -> bool {
    bridge(&state).is_some_and(|bridge| bridge.log_open(level))
}

#[op2(nofast)]
pub fn op_log<'s, 'i>(
    scope: &mut v8::PinScope<'s, 'i>,
    state: Rc<RefCell<OpState>>,
    level: u32,
    message: v8::Local<'s, v8::String>,
) {
    if let Some(bridge) = bridge(&state) {
        bridge.log(scope, level, message);
    }
}

#[op2(nofast)]
pub fn op_final<'s, 'i>(
    scope: &mut v8::PinScope<'s, 'i>,
    state: Rc<RefCell<OpState>>,
    value: v8::Local<'s, v8::Value>,
) {
    if let Some(bridge) = bridge(&state) {
        bridge.final_answer(scope, value);
    }
}

#[op2(nofast)]
pub fn op_next_window(state: Rc<RefCell<OpState>>) -> f64 {
    bridge(&state).map_or(0.0, |bridge| bridge.next_window())
}

#[op2(nofast)]
pub fn op_guard_exceeded(state: Rc<RefCell<OpState>>) {
    if let Some(bridge) = bridge(&state) {
        bridge.guard_exceeded();
    }
}

#[op2(nofast)]
pub fn op_swallowed<'s, 'i>(scope: &mut v8::PinScope<'s, 'i>, state: Rc<RefCell<OpState>>) {
    if let Some(bridge) = bridge(&state) {
        bridge.swallowed(scope);
    }
}

#[op2]
pub fn op_import<'s, 'i>(
    scope: &mut v8::PinScope<'s, 'i>,
    state: Rc<RefCell<OpState>>,
    specifier: v8::Local<'s, v8::String>,
) -> v8::Local<'s, v8::Value> {
    let result = bridge(&state).and_then(|bridge| bridge.import(scope, specifier));
    result.unwrap_or_else(|| v8::undefined(scope).into())
}

/// [entries, isKeyValue] of a Map, a Set or one of their iterators, without advancing it.
#[op2]
pub fn op_preview_entries<'s, 'i>(
    scope: &mut v8::PinScope<'s, 'i>,
    value: v8::Local<'s, v8::Value>,
) -> v8::Local<'s, v8::Value> {
    let (entries, is_key_value) = match v8::Local::<v8::Object>::try_from(value) {
        Ok(object) => object.preview_entries(scope),
        Err(_) => (None, false),
    };
    let entries = entries.unwrap_or_else(|| v8::Array::new(scope, 0));
    let is_key_value = v8::Boolean::new(scope, is_key_value);
    v8::Array::new_with_elements(scope, &[entries.into(), is_key_value.into()]).into()
}
