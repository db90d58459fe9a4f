// `boot.inspectModule(natives)` is node-inspect-extracted, wrapped by build.rs. `natives` replace the library's
// stand-ins for Node's internal bindings. Guests receive its functions as arguments of their
// `Symbol.for("nodejs.util.inspect.custom")` methods, so the functions are hardened.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { ops } = boot;
  const {
    op_get_constructor_name,
    op_get_non_index_property_names,
    op_get_promise_details,
    op_get_proxy_details,
    op_is_any_array_buffer,
    op_is_arguments_object,
    op_is_array_buffer,
    op_is_async_function,
    op_is_big_int_object,
    op_is_boolean_object,
    op_is_boxed_primitive,
    op_is_data_view,
    op_is_date,
    op_is_generator_function,
    op_is_map,
    op_is_map_iterator,
    op_is_module_namespace_object,
    op_is_native_error,
    op_is_number_object,
    op_is_promise,
    op_is_proxy,
    op_is_reg_exp,
    op_is_set,
    op_is_set_iterator,
    op_is_string_object,
    op_is_symbol_object,
    op_is_typed_array,
    op_is_weak_map,
    op_is_weak_set,
    op_preview_entries,
  } = ops;

  // The numbers of v8::PromiseState and v8::PropertyFilter.
  const constants = { __proto__: null, kPending: 0, kRejected: 2, ALL_PROPERTIES: 0, ONLY_ENUMERABLE: 2 };

  boot.types = {
    __proto__: null,
    isAnyArrayBuffer: op_is_any_array_buffer,
    isArgumentsObject: op_is_arguments_object,
    isArrayBuffer: op_is_array_buffer,
    isAsyncFunction: op_is_async_function,
    isBigIntObject: op_is_big_int_object,
    isBooleanObject: op_is_boolean_object,
    isBoxedPrimitive: op_is_boxed_primitive,
    isDataView: op_is_data_view,
    isDate: op_is_date,
    isExternal: () => false,
    isGeneratorFunction: op_is_generator_function,
    isMap: op_is_map,
    isMapIterator: op_is_map_iterator,
    isModuleNamespaceObject: op_is_module_namespace_object,
    isNativeError: op_is_native_error,
    isNumberObject: op_is_number_object,
    isPromise: op_is_promise,
    isProxy: op_is_proxy,
    isRegExp: op_is_reg_exp,
    isSet: op_is_set,
    isSetIterator: op_is_set_iterator,
    isStringObject: op_is_string_object,
    isSymbolObject: op_is_symbol_object,
    isTypedArray: op_is_typed_array,
    isWeakMap: op_is_weak_map,
    isWeakSet: op_is_weak_set,
  };

  boot.previewEntries = (value, withKind) => {
    const { 0: entries, 1: isKeyValue } = op_preview_entries(value);
    return withKind ? [entries, isKeyValue] : entries;
  };

  boot.util = {
    __proto__: null,
    constants,
    getOwnNonIndexProperties: (value, filter) => op_get_non_index_property_names(value, filter),
    getPromiseDetails: (value) => op_get_promise_details(value),
    getProxyDetails(value, both = true) {
      if (!op_is_proxy(value)) return undefined;
      const details = op_get_proxy_details(value);
      return both ? details : details[0];
    },
    previewEntries: boot.previewEntries,
    getConstructorName: (value) => op_get_constructor_name(value),
    getExternalValue: () => 0n,
    Proxy,
  };
})();
