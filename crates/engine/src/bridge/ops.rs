//! Native functions of the bootstrap, by name. Functions that concern the executor delegate to its [`Bridge`]. The
//! others inspect values. build.rs defines them in the snapshot, which refers to them by their index in the table.

use std::rc::Rc;

use deno_core::v8;

use crate::bridge::interface::{Bridge, Pure};

type Arguments<'s> = v8::FunctionCallbackArguments<'s>;
type Returned<'s> = v8::ReturnValue<'s, v8::Value>;

/// Functions of this module in the form that V8 calls, in the order in which the snapshot refers to them.
macro_rules! table {
    ($($name:ident)*) => {
        /// Names and functions.
        pub fn table() -> Vec<(&'static str, v8::FunctionCallback)> {
            vec![$((stringify!($name), v8::MapFnTo::map_fn_to($name))),*]
        }
    };
}

/// Predicates that V8 answers.
macro_rules! questions {
    ($($name:ident: $($question:ident)|+;)*) => {
        $(fn $name<'s>(_: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
            let value = args.get(0);
            returned.set_bool($(value.$question())||+);
        })*
    };
}

/// Functions that only compute.
macro_rules! pure {
    ($($name:ident: $function:ident;)*) => {
        $(fn $name<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
            if let Some(value) = bridge(scope).and_then(|bridge| bridge.pure(scope, Pure::$function, &args)) {
                returned.set(value);
            }
        })*
    };
}

table! {
    op_clone
    op_compile_module
    op_decode
    op_digest
    op_encode
    op_encoding
    op_evaluate_module
    op_final
    op_from_base64
    op_function_text
    op_get_constructor_name
    op_get_non_index_property_names
    op_get_promise_details
    op_get_proxy_details
    op_guard_exceeded
    op_is_any_array_buffer
    op_is_arguments_object
    op_is_array_buffer
    op_is_async_function
    op_is_big_int_object
    op_is_boolean_object
    op_is_boxed_primitive
    op_is_data_view
    op_is_date
    op_is_generator_function
    op_is_map
    op_is_map_iterator
    op_is_module_namespace_object
    op_is_native_error
    op_is_number_object
    op_is_promise
    op_is_proxy
    op_is_reg_exp
    op_is_set
    op_is_set_iterator
    op_is_string_object
    op_is_symbol_object
    op_is_terminated
    op_is_typed_array
    op_is_weak_map
    op_is_weak_set
    op_log
    op_log_open
    op_preview_entries
    op_random
    op_room
    op_substitute
    op_swallowed
    op_thrown
    op_to_base64
    op_url
    op_url_query
    op_url_query_text
}

pure! {
    op_clone: Clone;
    op_decode: Decode;
    op_digest: Digest;
    op_encode: Encode;
    op_encoding: Encoding;
    op_from_base64: FromBase64;
    op_random: Random;
    op_substitute: Substitute;
    op_to_base64: ToBase64;
    op_url: Url;
    op_url_query: UrlQuery;
    op_url_query_text: UrlQueryText;
}

questions! {
    op_is_any_array_buffer: is_array_buffer | is_shared_array_buffer;
    op_is_arguments_object: is_arguments_object;
    op_is_array_buffer: is_array_buffer;
    op_is_async_function: is_async_function;
    op_is_big_int_object: is_big_int_object;
    op_is_boolean_object: is_boolean_object;
    op_is_boxed_primitive:
        is_boolean_object | is_string_object | is_number_object | is_symbol_object | is_big_int_object;
    op_is_data_view: is_data_view;
    op_is_date: is_date;
    op_is_generator_function: is_generator_function;
    op_is_map: is_map;
    op_is_map_iterator: is_map_iterator;
    op_is_module_namespace_object: is_module_namespace_object;
    op_is_native_error: is_native_error;
    op_is_number_object: is_number_object;
    op_is_promise: is_promise;
    op_is_proxy: is_proxy;
    op_is_reg_exp: is_reg_exp;
    op_is_set: is_set;
    op_is_set_iterator: is_set_iterator;
    op_is_string_object: is_string_object;
    op_is_symbol_object: is_symbol_object;
    op_is_typed_array: is_typed_array;
    op_is_weak_map: is_weak_map;
    op_is_weak_set: is_weak_set;
}

/// The isolate's bridge. `None` while the snapshot is made.
fn bridge(isolate: &v8::Isolate) -> Option<Rc<dyn Bridge>> {
    isolate.get_slot::<Rc<dyn Bridge>>().cloned()
}

fn op_log_open<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let level = args.get(0).uint32_value(scope).unwrap_or_default();
    returned.set_bool(bridge(scope).is_some_and(|bridge| bridge.log_open(level)));
}

fn op_log<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let level = args.get(0).uint32_value(scope).unwrap_or_default();
    let indent = args.get(2).uint32_value(scope).unwrap_or_default() as usize;
    if let (Some(bridge), Ok(message)) = (bridge(scope), args.get(1).try_into()) {
        bridge.log(scope, level, message, indent);
    }
}

fn op_final<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    returned.set_bool(bridge(scope).is_some_and(|bridge| bridge.final_answer(scope, args.get(0))));
}

fn op_guard_exceeded<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    if let Some(bridge) = bridge(scope) {
        let limit = args.get(0).number_value(scope).unwrap_or_default();
        let module = args.get(1);
        let module = module.is_string().then(|| module.to_rust_string_lossy(scope));
        bridge.guard_exceeded(scope, limit, module);
    }
}

fn op_swallowed<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, _: Returned<'s>) {
    if let Some(bridge) = bridge(scope) {
        bridge.swallowed(scope);
    }
}

fn op_thrown<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    if let Some(bridge) = bridge(scope) {
        bridge.thrown(scope, args.get(0));
    }
}

/// The text of a function as the guest wrote it. Null for a function of another script, undefined for one without a
/// script.
fn op_function_text<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    const NO_SCRIPT: i32 = 0;
    let Ok(function) = v8::Local::<v8::Function>::try_from(args.get(0)) else { return };
    if function.script_id() == NO_SCRIPT {
        return;
    }
    match bridge(scope).and_then(|bridge| bridge.function_text(scope, function)) {
        Some(text) => returned.set(text.into()),
        None => returned.set_null(),
    }
}

fn op_is_terminated<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    returned.set_bool(bridge(scope).is_some_and(|bridge| bridge.is_terminated()));
}

fn op_room<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    let used = scope.get_heap_statistics().used_heap_size();
    returned.set_double(bridge(scope).map_or(0.0, |bridge| bridge.room(used) as f64));
}

fn op_compile_module<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    if let (Some(bridge), Ok(specifier)) = (bridge(scope), args.get(0).try_into()) {
        bridge.compile_module(scope, specifier);
    }
}

fn op_evaluate_module<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    if let (Some(bridge), Ok(specifier)) = (bridge(scope), args.get(0).try_into())
        && let Some(namespace) = bridge.evaluate_module(scope, specifier)
    {
        returned.set(namespace);
    }
}

/// [entries, isKeyValue] of a Map, a Set or one of their iterators, without advancing it.
fn op_preview_entries<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let (entries, is_key_value) = match v8::Local::<v8::Object>::try_from(args.get(0)) {
        Ok(object) => object.preview_entries(scope),
        Err(_) => (None, false),
    };
    let entries = entries.unwrap_or_else(|| v8::Array::new(scope, 0));
    let is_key_value = v8::Boolean::new(scope, is_key_value);
    returned.set(v8::Array::new_with_elements(scope, &[entries.into(), is_key_value.into()]).into());
}

fn op_get_constructor_name<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    match v8::Local::<v8::Object>::try_from(args.get(0)) {
        Ok(object) => returned.set(object.get_constructor_name().into()),
        Err(_) => returned.set(v8::null(scope).into()),
    }
}

/// Own property names without indices; the second argument is a v8::PropertyFilter.
fn op_get_non_index_property_names<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: Arguments<'s>,
    mut returned: Returned<'s>,
) {
    const ONLY_ENUMERABLE: u32 = 2;
    let Ok(object) = v8::Local::<v8::Object>::try_from(args.get(0)) else {
        returned.set(v8::null(scope).into());
        return;
    };
    let property_filter = match args.get(1).uint32_value(scope) {
        Some(ONLY_ENUMERABLE) => v8::PropertyFilter::ONLY_ENUMERABLE,
        _ => v8::PropertyFilter::ALL_PROPERTIES,
    };
    let wanted = v8::GetPropertyNamesArgs {
        mode: v8::KeyCollectionMode::OwnOnly,
        property_filter,
        index_filter: v8::IndexFilter::SkipIndices,
        ..Default::default()
    };
    if let Some(names) = object.get_property_names(scope, wanted) {
        returned.set(names.into());
    }
}

/// [v8::PromiseState, result].
fn op_get_promise_details<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Ok(promise) = v8::Local::<v8::Promise>::try_from(args.get(0)) else { return };
    let (state, result) = match promise.state() {
        v8::PromiseState::Pending => (0, v8::null(scope).into()),
        v8::PromiseState::Fulfilled => (1, promise.result(scope)),
        v8::PromiseState::Rejected => (2, promise.result(scope)),
    };
    let state = v8::Integer::new(scope, state);
    returned.set(v8::Array::new_with_elements(scope, &[state.into(), result]).into());
}

/// [target, handler].
fn op_get_proxy_details<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Ok(proxy) = v8::Local::<v8::Proxy>::try_from(args.get(0)) else {
        returned.set(v8::null(scope).into());
        return;
    };
    let details = [proxy.get_target(scope), proxy.get_handler(scope)];
    returned.set(v8::Array::new_with_elements(scope, &details).into());
}
