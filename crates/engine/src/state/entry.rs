//! Handles to the bootstrap's functions, taken from the realm when the isolate starts.

use deno_core::v8;

use crate::values::serialize;
use ses_hints::LookUp;
use ses_protocol::ToolSpec;

/// The property through which the bootstrap hands over its functions. Deleted immediately.
const HANDOVER: &str = "__smol_realm";

/// The most UTF-16 units of an inspected value that are read.
const MAX_INSPECTED_UNITS: usize = 1 << 20;

/// Makes the guest's function for a tool.
pub type MakeTool = for<'s, 'i> fn(&mut v8::PinScope<'s, 'i>, &ToolSpec) -> Option<v8::Local<'s, v8::Function>>;

/// Functions of the bootstrap, and the private symbols of the engine's errors.
pub struct Realm {
    functions: v8::Global<v8::Object>,
    /// Called in every run.
    begin: v8::Global<v8::Function>,
    finish: v8::Global<v8::Function>,
    /// The value of a program that ends with a declaration. Its `value` is the declared value.
    declared: v8::Global<v8::Object>,
    mark: v8::Global<v8::Private>,
    position: v8::Global<v8::Private>,
}

impl Realm {
    /// Takes the functions from the global and removes properties that guests must not find there.
    pub fn take(scope: &mut v8::PinScope) -> Option<Self> {
        let global = scope.get_current_context().global(scope);
        let key = v8::String::new(scope, HANDOVER)?;
        let functions = v8::Local::<v8::Object>::try_from(global.get(scope, key.into())?).ok()?;
        global.delete(scope, key.into())?;
        let begin = function(scope, functions, "begin")?;
        let finish = function(scope, functions, "finish")?;
        let key = v8::String::new(scope, "declaredValue")?;
        let declared = v8::Local::<v8::Object>::try_from(functions.get(scope, key.into())?).ok()?;
        let mark = v8::Private::new(scope, None);
        let position = v8::Private::new(scope, None);
        Some(Self {
            functions: v8::Global::new(scope, functions),
            begin: v8::Global::new(scope, begin),
            finish: v8::Global::new(scope, finish),
            declared: v8::Global::new(scope, declared),
            mark: v8::Global::new(scope, mark),
            position: v8::Global::new(scope, position),
        })
    }

    pub fn mark_key<'s>(&self, scope: &mut v8::PinScope<'s, '_>) -> v8::Local<'s, v8::Private> {
        v8::Local::new(scope, &self.mark)
    }

    pub fn position_key<'s>(&self, scope: &mut v8::PinScope<'s, '_>) -> v8::Local<'s, v8::Private> {
        v8::Local::new(scope, &self.position)
    }

    /// Freezes the objects that V8 adds to the realm when it makes a context from the snapshot.
    pub fn finish_hardening(&self, scope: &mut v8::PinScope) -> Option<()> {
        self.call(scope, "finishHardening", &[]).map(drop)
    }

    /// Resets guards, console and declared names for a run of `limit` iterations.
    pub fn begin(&self, scope: &mut v8::PinScope, limit: f64) -> Option<()> {
        let args = [v8::Number::new(scope, limit).into()];
        let receiver = v8::undefined(scope).into();
        v8::Local::new(scope, &self.begin).call(scope, receiver, &args).map(drop)
    }

    /// Settles which names of the run remain, and returns the number of iterations that are left.
    pub fn finish(&self, scope: &mut v8::PinScope, forget_declared: bool) -> Option<f64> {
        let forget_declared = v8::Boolean::new(scope, forget_declared).into();
        let receiver = v8::undefined(scope).into();
        v8::Local::new(scope, &self.finish).call(scope, receiver, &[forget_declared])?.number_value(scope)
    }

    /// Whether `value` is the signal that unwinds a run that is over.
    pub fn is_signal<'s>(&self, scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>) -> Option<bool> {
        self.call(scope, "isSignal", &[value]).map(|answer| answer.is_true())
    }

    /// The value that a program has declared last, if `value` stands for it. Can be taken once.
    pub fn take_declared<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        value: v8::Local<'s, v8::Value>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        let declared = v8::Local::new(scope, &self.declared);
        if !value.strict_equals(declared.into()) {
            return None;
        }
        let key = v8::String::new(scope, "value")?;
        let value = declared.get(scope, key.into())?;
        let nothing = v8::undefined(scope).into();
        declared.set(scope, key.into(), nothing)?;
        Some(value)
    }

    /// Hardens and defines variables. `values` is an array in the order of `names`. Returns the names that the guest's
    /// global did not accept.
    pub fn set_variables(
        &self,
        scope: &mut v8::PinScope,
        names: &[String],
        values: v8::Local<v8::Value>,
    ) -> Option<Vec<String>> {
        let names = strings(scope, names)?;
        let values = v8::Local::new(scope, values);
        let refused = self.call(scope, "setVariables", &[names.into(), values])?;
        to_strings(scope, refused)
    }

    /// Builds functions for tools and defines them. Returns the names that the guest's global did not accept.
    pub fn install_tools(&self, scope: &mut v8::PinScope, tools: &[ToolSpec], make: MakeTool) -> Option<Vec<String>> {
        let specs = tool_specs(scope, tools, make)?;
        let refused = self.call(scope, "installTools", &[specs])?;
        to_strings(scope, refused)
    }

    /// Puts groups of globals on the global, before any guest code. `services`: functions of the host that they call.
    pub fn install_globals(
        &self,
        scope: &mut v8::PinScope,
        names: &[String],
        services: &[ToolSpec],
        make: MakeTool,
    ) -> Option<()> {
        let names = strings(scope, names)?;
        let services = tool_specs(scope, services, make)?;
        self.call(scope, "installGlobals", &[names.into(), services]).map(drop)
    }

    /// The guest has nothing to do. Calls the callback of a timer that is due, and returns true. Otherwise makes the
    /// host wake the guest for the next timer, if there is one.
    pub fn turn(&self, scope: &mut v8::PinScope) -> Option<bool> {
        self.call(scope, "turn", &[]).map(|answer| answer.is_true())
    }

    /// Exports of an object module. `values` are the serialized bytes of an array in the order of `names`.
    pub fn build_exports<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        names: &[String],
        values: &[u8],
        functions: &[ToolSpec],
        make: MakeTool,
    ) -> Option<v8::Local<'s, v8::Object>> {
        let values = serialize::read(scope, values)?;
        let names = strings(scope, names)?;
        let specs = tool_specs(scope, functions, make)?;
        self.call(scope, "buildExports", &[names.into(), values, specs])?.try_into().ok()
    }

    /// Freezes a value that has just been deserialized, and everything reachable from it.
    pub fn harden<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        value: v8::Local<'s, v8::Value>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        if !value.is_object() {
            return Some(value);
        }
        self.call(scope, "hardenFresh", &[value])
    }

    /// Gives `error` the parts that `details` lists, which have just been deserialized. If they are hardened, so are
    /// the parts.
    pub fn add_details<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        error: v8::Local<'s, v8::Value>,
        details: v8::Local<'s, v8::Value>,
    ) {
        self.call(scope, "addDetails", &[error, details]);
    }

    /// Gives errors without stacks new ones, in a value that has just been deserialized.
    pub fn set_stacks<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        value: v8::Local<'s, v8::Value>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        self.call(scope, "setStacks", &[value])
    }

    /// A copy of `value` in which parts that cannot be cloned are replaced by the string that inspection returns.
    pub fn to_cloneable<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        value: v8::Local<'s, v8::Value>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        self.call(scope, "toCloneable", &[value])
    }

    /// `value`. If it contains URLs or blobs, a copy with their strings and bytes instead.
    pub fn with_substitutes<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        value: v8::Local<'s, v8::Value>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        self.call(scope, "withSubstitutes", &[value])
    }

    /// `args`, an array of arguments. If it contains URLs or blobs, a copy with their strings and bytes instead.
    pub fn arguments_with_substitutes<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        args: v8::Local<'s, v8::Array>,
    ) -> Option<v8::Local<'s, v8::Array>> {
        self.call(scope, "argumentsWithSubstitutes", &[args.into()])?.try_into().ok()
    }

    /// The string that the console prints for `value`.
    pub fn inspect(&self, scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<String> {
        v8::tc_scope!(let attempt, scope);
        let value = v8::Local::new(attempt, value);
        let text = v8::Local::<v8::String>::try_from(self.call(attempt, "inspect", &[value])?).ok()?;
        // Limited to the size of a log, because the guest decides what its `inspect.custom` methods return.
        let mut units = vec![0u16; text.length().min(MAX_INSPECTED_UNITS)];
        text.write_v2(attempt, 0, &mut units, v8::WriteFlags::default());
        Some(String::from_utf16_lossy(&units))
    }

    /// The path of the first part of `args`, an array of arguments, that cannot be cloned.
    pub fn uncloneable_path(&self, scope: &mut v8::PinScope, args: v8::Local<v8::Value>) -> Option<String> {
        v8::tc_scope!(let attempt, scope);
        let args = v8::Local::new(attempt, args);
        let path = self.call(attempt, "uncloneablePath", &[args])?;
        path.is_string().then(|| path.to_rust_string_lossy(attempt))
    }

    /// Describes the value that `path` leads to from the global.
    pub fn look_up(&self, scope: &mut v8::PinScope, path: &[String], member: &str) -> Option<LookUp> {
        v8::tc_scope!(let attempt, scope);
        let place = v8::Object::new(attempt);
        let values = [("path", strings(attempt, path)?.into()), ("member", v8::String::new(attempt, member)?.into())];
        for (key, value) in values {
            let key = v8::String::new(attempt, key)?;
            place.create_data_property(attempt, key.into(), value)?;
        }
        let found = v8::Local::<v8::Array>::try_from(self.call(attempt, "lookUp", &[place.into()])?).ok()?;
        let kind = found.get_index(attempt, 0)?.to_rust_string_lossy(attempt);
        let (names, built_ins) = (found.get_index(attempt, 1)?, found.get_index(attempt, 2)?);
        Some(LookUp { kind, names: to_strings(attempt, names)?, built_ins: to_strings(attempt, built_ins)? })
    }

    /// Whether the global's value of `name` is an object that the host has sent.
    pub fn is_sent(&self, scope: &mut v8::PinScope, name: &str) -> bool {
        v8::tc_scope!(let attempt, scope);
        let Some(name) = v8::String::new(attempt, name) else { return false };
        self.call(attempt, "isSent", &[name.into()]).is_some_and(|answer| answer.is_true())
    }

    fn call<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        name: &str,
        args: &[v8::Local<'s, v8::Value>],
    ) -> Option<v8::Local<'s, v8::Value>> {
        let functions = v8::Local::new(scope, &self.functions);
        let receiver = v8::undefined(scope).into();
        function(scope, functions, name)?.call(scope, receiver, args)
    }
}

fn function<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    functions: v8::Local<'s, v8::Object>,
    name: &str,
) -> Option<v8::Local<'s, v8::Function>> {
    let key = v8::String::new(scope, name)?;
    functions.get(scope, key.into())?.try_into().ok()
}

/// An array of these strings.
pub fn strings<'s>(scope: &mut v8::PinScope<'s, '_>, texts: &[String]) -> Option<v8::Local<'s, v8::Array>> {
    let texts = texts.iter().map(|text| v8::String::new(scope, text).map(Into::into)).collect::<Option<Vec<_>>>()?;
    Some(v8::Array::new_with_elements(scope, &texts))
}

fn to_strings(scope: &mut v8::PinScope, texts: v8::Local<v8::Value>) -> Option<Vec<String>> {
    let texts = v8::Local::<v8::Array>::try_from(texts).ok()?;
    (0..texts.length()).map(|index| Some(texts.get_index(scope, index)?.to_rust_string_lossy(scope))).collect()
}

/// Tools in the form that the bootstrap takes: `{ path, tool }`.
fn tool_specs<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    tools: &[ToolSpec],
    make: MakeTool,
) -> Option<v8::Local<'s, v8::Value>> {
    let keys = ["path", "tool"];
    let keys = keys.iter().map(|key| v8::String::new(scope, key).map(Into::into)).collect::<Option<Vec<_>>>()?;
    let mut specs = Vec::with_capacity(tools.len());
    for tool in tools {
        let values = [strings(scope, &tool.path)?.into(), make(scope, tool)?.into()];
        let null = v8::null(scope).into();
        specs.push(v8::Object::with_prototype_and_properties(scope, null, &keys, &values).into());
    }
    Some(v8::Array::new_with_elements(scope, &specs).into())
}
