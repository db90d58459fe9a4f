//! Modules that the host provides (specification, section 5.3).

use std::mem;
use std::rc::Rc;

use deno_core::v8;

use crate::bridge::tools;
use crate::errors::early_errors::{self, EarlyError};
use crate::errors::marks::{Mark, marked_error};
use crate::state::host::Host;
use crate::state::origin::origin;
use ses_prepare::{self as prepare, PrepareOptions};
use ses_protocol::{Location, ModuleBody, ModuleSpec, Severity};

/// The most UTF-16 units of a name that are shown.
const MAX_SHOWN_UNITS: usize = 2 * prepare::MAX_NAME_CHARS;

/// The first half of `import(specifier)` of guest code. If it fails, an exception is pending.
pub fn compile<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, specifier: v8::Local<'s, v8::String>) {
    if let Some(specifier) = requested(scope, host, specifier) {
        load(scope, host, &specifier);
    }
}

/// The second half. `None`: an exception is pending.
pub fn evaluate<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    specifier: v8::Local<'s, v8::String>,
) -> Option<v8::Local<'s, v8::Value>> {
    let specifier = requested(scope, host, specifier)?;
    // V8 would end the process.
    if host.modules.borrow().is_evaluating {
        let message = v8::String::new(
            scope,
            &format!("Module '{specifier}' cannot be evaluated while another module is being evaluated"),
        )?;
        let error = v8::Exception::error(scope, message);
        scope.throw_exception(error);
        return None;
    }
    let module = load(scope, host, &specifier)?;
    if module.get_status() == v8::ModuleStatus::Uninstantiated {
        module.instantiate_module(scope, resolve)?;
    }
    let namespace = module.get_module_namespace();
    host.modules.borrow_mut().is_evaluating = true;
    let evaluated = module.evaluate(scope);
    host.modules.borrow_mut().is_evaluating = false;
    let evaluated = v8::Local::<v8::Promise>::try_from(evaluated?).ok()?;
    // The promise of `evaluate` resolves to undefined. The promise of `import()` resolves to the namespace once
    // evaluation is done.
    let give_namespace = v8::Function::builder(
        |_: &mut v8::PinScope, args: v8::FunctionCallbackArguments, mut result: v8::ReturnValue| {
            result.set(args.data());
        },
    )
    .data(namespace)
    .build(scope)?;
    Some(evaluated.then(scope, give_namespace)?.into())
}

/// Drops the modules of a run that has ended and whose calls and microtasks are gone. Finished modules stay. The others
/// wait for calls that are gone, or have failed with the run, or import such modules. They are loaded again when a
/// later run imports them.
pub fn end_run(scope: &mut v8::PinScope, host: &Host) {
    let loaded = {
        let mut cache = host.modules.borrow_mut();
        cache.exports.clear();
        mem::take(&mut cache.loaded)
    };
    for (specifier, module) in loaded {
        v8::scope!(let handles, scope);
        let kept = v8::Local::new(handles, &module);
        if is_finished(handles, host, kept).unwrap_or(false) {
            host.modules.borrow_mut().finished.insert(specifier, module);
        }
    }
}

/// Whether the result of importing `module` is final, regardless of what later runs do.
fn is_finished<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, module: v8::Local<'s, v8::Module>) -> Option<bool> {
    Some(match module.get_status() {
        // V8 also reports this state while the module waits. The state of its promise shows the difference. Nothing is
        // evaluated again.
        v8::ModuleStatus::Evaluated => {
            let promise = v8::Local::<v8::Promise>::try_from(module.evaluate(scope)?).ok()?;
            promise.state() == v8::PromiseState::Fulfilled
        }
        // The error of a terminated module is `null`.
        v8::ModuleStatus::Errored => {
            let error = module.get_exception();
            !error.is_null() && !host.realm.get()?.is_signal(scope, error)?
        }
        _ => false,
    })
}

/// The specifier that guest code has passed. If the string is longer than every authorized name, only its beginning is
/// read, and the import is refused. `None`: an exception is pending.
fn requested(scope: &mut v8::PinScope, host: &Host, specifier: v8::Local<v8::String>) -> Option<String> {
    let authorized = host.context.config().authorized_imports.iter().map(|name| name.encode_utf16().count());
    let longest = authorized.max().unwrap_or_default().max(MAX_SHOWN_UNITS);
    if specifier.length() <= longest {
        return Some(specifier.to_rust_string_lossy(scope));
    }
    // One more unit than is shown, to detect that there is more.
    let mut units = [0; MAX_SHOWN_UNITS + 1];
    specifier.write_v2(scope, 0, &mut units, v8::WriteFlags::default());
    refuse(scope, host, &String::from_utf16_lossy(&units));
    None
}

/// Throws the error of a refused import.
fn refuse(scope: &mut v8::PinScope, host: &Host, specifier: &str) {
    let specifier = prepare::module_name(specifier);
    let message = format!("Import not allowed: {specifier}");
    let mark = Mark::Import { module: specifier };
    let code = v8::String::new(scope, "ERR_IMPORT_NOT_ALLOWED").map(Into::into);
    let error = marked_error(scope, host, "Error", &message, code, &mark);
    scope.throw_exception(error);
}

/// The compiled module of `specifier`. `None`: an exception is pending.
fn load<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, specifier: &str) -> Option<v8::Local<'s, v8::Module>> {
    let config = host.context.config();
    if !config.authorized_imports.iter().any(|name| name == specifier) {
        refuse(scope, host, specifier);
        return None;
    }
    if let Some(module) = host.modules.borrow().get(specifier) {
        return Some(v8::Local::new(scope, module));
    }
    let module = match config.modules.iter().find(|module| module.specifier == specifier) {
        Some(ModuleSpec { body: ModuleBody::Source(source), .. }) => of_source(scope, host, specifier, source)?,
        Some(ModuleSpec { body: ModuleBody::Exports { names, values, functions }, .. }) => {
            host.tools.borrow_mut().add(functions);
            let exports = host.realm.get()?.build_exports(scope, names, values, functions, tools::function)?;
            synthetic(scope, host, specifier, exports)?
        }
        None => {
            host.warn(format!(
                "Module '{specifier}' is authorized but not provided; it is empty. Provide it with the option `modules`."
            ));
            let exports = v8::Object::new(scope);
            synthetic(scope, host, specifier, exports)?
        }
    };
    let kept = v8::Global::new(scope, module);
    host.modules.borrow_mut().loaded.insert(specifier.to_owned(), kept);
    Some(module)
}

fn of_source<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    specifier: &str,
    source: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    let config = host.context.config();
    let options = PrepareOptions::of(config, config.language, 1.0, 1.0);
    let program = match prepare::prepare_module(source, specifier, &options) {
        Ok(program) => program,
        Err(diagnostics) => {
            match diagnostics.iter().find_map(|diagnostic| diagnostic.module.as_deref()) {
                Some(module) => refuse(scope, host, module),
                None => {
                    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
                    let reasons: Vec<&str> = errors.map(|error| error.message.as_str()).collect();
                    throw_syntax_error(scope, specifier, &reasons.join("; "))?;
                }
            }
            return None;
        }
    };
    if program.is_doubtful
        && let Some(EarlyError { message, line, column }) = early_errors::of_module(scope, source)
    {
        let at = Location { line, column };
        throw_syntax_error(scope, specifier, &prepare::in_module(specifier, Some(at), &message))?;
        return None;
    }
    let text = v8::String::new(scope, &program.code)?;
    let name = v8::String::new(scope, specifier)?;
    let origin = origin(scope, name, true);
    host.scripts.borrow_mut().add(specifier, None, source.to_owned(), program.positions);
    let module = {
        v8::tc_scope!(let attempt, scope);
        let mut source = v8::script_compiler::Source::new(text, Some(&origin));
        v8::script_compiler::compile_module(attempt, &mut source)
    };
    // V8's own error would look like an error of the code that imports the module.
    if module.is_none()
        && let Some(EarlyError { message, .. }) = early_errors::of_module(scope, &program.code)
    {
        // Reports the error for the source as it was written, if V8 can parse that: it may be TypeScript.
        let written = early_errors::of_module(scope, source).filter(|error| error.message == message);
        let at = written.map(|EarlyError { line, column, .. }| Location { line, column });
        throw_syntax_error(scope, specifier, &prepare::in_module(specifier, at, &message))?;
    }
    module
}

fn throw_syntax_error(scope: &mut v8::PinScope, specifier: &str, reason: &str) -> Option<()> {
    let message = v8::String::new(scope, &format!("Module '{specifier}' cannot be loaded: {reason}"))?;
    let error = v8::Exception::syntax_error(scope, message);
    scope.throw_exception(error);
    Some(())
}

/// A module whose exports are the own properties of `exports`.
fn synthetic<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    specifier: &str,
    exports: v8::Local<'s, v8::Object>,
) -> Option<v8::Local<'s, v8::Module>> {
    let name = v8::String::new(scope, specifier)?;
    let keys = exports.get_own_property_names(scope, v8::GetPropertyNamesArgs::default())?;
    let names = (0..keys.length())
        .map(|index| keys.get_index(scope, index)?.try_into().ok())
        .collect::<Option<Vec<v8::Local<v8::String>>>>()?;
    let module = v8::Module::create_synthetic_module(scope, name, &names, evaluate_synthetic);
    let entry = (v8::Global::new(scope, module), v8::Global::new(scope, exports));
    host.modules.borrow_mut().exports.push(entry);
    Some(module)
}

/// V8 calls this to fill the exports of a synthetic module.
fn evaluate_synthetic<'s>(
    context: v8::Local<'s, v8::Context>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    // SAFETY: V8 calls this on the isolate's thread with the context of the evaluation.
    v8::callback_scope!(unsafe scope, context);
    let host = scope.get_slot::<Rc<Host>>()?.clone();
    let exports = {
        let mut cache = host.modules.borrow_mut();
        let index = cache.exports.iter().position(|(known, _)| *known == module)?;
        cache.exports.swap_remove(index).1
    };
    let exports = v8::Local::new(scope, exports);
    let keys = exports.get_own_property_names(scope, v8::GetPropertyNamesArgs::default())?;
    for index in 0..keys.length() {
        let key = keys.get_index(scope, index)?;
        let value = exports.get(scope, key)?;
        module.set_synthetic_module_export(scope, key.try_into().ok()?, value)?;
    }
    let resolver = v8::PromiseResolver::new(scope)?;
    let undefined = v8::undefined(scope).into();
    resolver.resolve(scope, undefined);
    Some(resolver.get_promise(scope).into())
}

/// V8 calls this for each static import of a module.
fn resolve<'s>(
    context: v8::Local<'s, v8::Context>,
    specifier: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
    _referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    // SAFETY: V8 calls this on the isolate's thread with the context of the instantiation.
    v8::callback_scope!(unsafe scope, context);
    let host = scope.get_slot::<Rc<Host>>()?.clone();
    let specifier = specifier.to_rust_string_lossy(scope);
    load(scope, &host, &specifier)
}
