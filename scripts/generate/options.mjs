// Generates files from `lib/contract/option-table.ts`.

import table from '../../build/contract/option-table.js';
import { HEADER, byteCount, docComment, numeral, snakeCase, wrapped } from './text.mjs';

const { CODE_TOOL_OPTIONS, OPTIONS } = table;

export function optionParts() {
  return [
    { path: 'lib/contract/executor-options.ts', name: 'ExecutorOptions', text: OPTIONS.map(member).join('') },
    {
      path: 'lib/contract/executor-options.ts',
      name: 'RunOptions',
      text: OPTIONS.filter(({ perRun }) => perRun)
        .map(runMember)
        .join(''),
    },
    {
      path: 'lib/adapters/code-tool/types.ts',
      name: 'CodeToolSettings',
      text: CODE_TOOL_OPTIONS.map(member).join(''),
    },
    {
      path: 'lib/adapters/mcp/index.ts',
      name: 'McpServerOptions',
      text: member(CODE_TOOL_OPTIONS.find(({ name }) => name === 'maxDeclarationChars')),
    },
    { path: 'docs/reference/options.md', name: 'options', text: reference(OPTIONS, '##') },
    { path: 'docs/reference/options.md', name: 'code tool options', text: reference(CODE_TOOL_OPTIONS, '###') },
    { path: 'crates/protocol/src/options.rs', text: config() },
    { path: 'src/options.rs', text: nativeOptions() },
  ];
}

/** @param {import('../../build/contract/option-table.js').OptionRow} row */
function member(row) {
  const [what, ...more] = row.doc.split('\n\n');
  const doc = [`${what} ${range(row)}`, ...more].join('\n\n');
  return `${docComment(doc, '  ')}\n  ${optional(row)}`;
}

function runMember(row) {
  return `  /** As {@link ExecutorOptions.${row.name}}, for this run. */\n  ${optional(row)}`;
}

/** `undefined` means absent, even where `exactOptionalPropertyTypes` distinguishes them. */
function optional(row) {
  const type = typeOf(row);
  return `${row.name}?: ${type.includes('=>') ? `(${type})` : type} | undefined;\n`;
}

/** Range and default in a sentence. */
function range(row) {
  const { type, min, max, mayBeInfinite } = row;
  const isDefault = row.none === undefined ? `default ${defaultText(row)}` : `default: ${row.none}`;
  if (type !== 'integer' && type !== 'number') return `${isDefault.replace('d', 'D')}.`;
  const bounds =
    max === undefined ? `An integer >= ${numeral(min)}` : `An integer from ${numeral(min)} to ${numeral(max)}`;
  return `${bounds}${mayBeInfinite ? ', or `Infinity`' : ''}; ${isDefault}.`;
}

function defaultText({ fallback, unit, values }) {
  if (Array.isArray(fallback)) return fallback.length === 0 ? 'none' : fallback.length === values?.length ? 'all' : '';
  if (typeof fallback === 'string') return `\`"${fallback}"\``;
  if (typeof fallback !== 'number') return `\`${fallback}\``;
  const bytes = unit === 'bytes' ? byteCount(fallback) : undefined;
  return bytes === undefined ? numeral(fallback) : `${numeral(fallback)} (${bytes})`;
}

function typeOf({ type, ts, values }) {
  if (ts !== undefined) return ts;
  if (type === 'integer') return 'number';
  if (type === 'oneOf') return values.map((value) => `'${value}'`).join(' | ');
  return type === 'strings' ? 'readonly string[]' : type;
}

/** A summary and the sections of docs/reference/options.md. */
function reference(options, heading) {
  const rows = options.map((row) => {
    const bytes = row.unit === 'bytes' ? byteCount(row.fallback) : undefined;
    const shown = row.shown ?? bytes ?? (row.type === 'modules' ? 'none' : defaultText(row));
    const name = `[\`${row.name}\`](#${row.name.toLowerCase()})`;
    return `| ${name} | ${row.fallback === undefined && row.shown === undefined ? 'none' : shown} | ${row.brief} |`;
  });
  const table = ['| option | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return `\n${table}\n\n${options.map((row) => section(row, heading)).join('\n')}\n`;
}

/** @param {import('../../build/contract/option-table.js').OptionRow} row */
function section(row, heading) {
  const facts = [
    `\`${typeOf(row)}\``,
    range(row).replace(/\.$/, ''),
    ...(row.perRun ? ['also an option of `run()`'] : []),
  ];
  return `${heading} ${row.name}\n\n${facts.join(' · ')}\n\n${linked(row.doc)}\n`;
}

/** Converts links of declarations to links of Markdown. Names of options link to these options. */
function linked(doc) {
  return doc.replace(/\{@link (?:(\w+)\.)?(\w+)\}/g, (_, owner, name) =>
    OPTIONS.some((row) => row.name === name)
      ? `[\`${name}\`](#${name.toLowerCase()})`
      : `\`${owner ? `${owner}.` : ''}${name}\``,
  );
}

/** Options that Rust takes. */
const NATIVE = OPTIONS.filter(({ rust }) => rust !== null);

function config() {
  const fields = NATIVE.map(({ name, doc, rust }) => {
    return `${wrapped(rust.doc ?? doc, '    /// ', 116)}\n    pub ${rust.field ?? snakeCase(name)}: ${rust.type},\n`;
  });
  const limits = OPTIONS.filter(({ type }) => type === 'number').map(({ name, min, max, fallback }) => {
    const upper = snakeCase(name).toUpperCase();
    return `/// Bounds and default of \`${name}\`, which accepts any number: VALIDATE reports invalid ones.
pub const ${upper}: Range = Range { min: ${min}.0, max: ${max}.0, default: ${fallback}.0 };
`;
  });
  return `${HEADER('option-table.ts')}//! Options that the facade has checked.

use crate::{LEVELS, Language, ModuleSpec, ToolSpec, encoding};

/// The options of one executor, fixed when it was constructed.
#[derive(Debug)]
pub struct Config {
${fields.join('')}}

encoding::record!(Config { ${NATIVE.map(({ name, rust }) => rust.field ?? snakeCase(name)).join(', ')} });

/// The bounds of an option, both inclusive, and its default.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub min: f64,
    pub max: f64,
    pub default: f64,
}

impl Range {
    /// Whether a value is an integer within the bounds.
    pub fn takes(&self, value: f64) -> bool {
        value.fract() == 0.0 && (self.min..=self.max).contains(&value)
    }
}

${limits.join('\n')}`;
}

/** What napi makes of a JavaScript value, and how the field of \`Config\` is made of that. */
function nativeType({ type, fallback, values, rust }) {
  if (rust.passedAs !== undefined) return { native: rust.native ?? rust.type, from: rust.from ?? '$' };
  const isOptional = fallback === undefined;
  switch (type) {
    case 'number':
    case 'integer': {
      const target = isOptional ? rust.type.slice('Option<'.length, -1) : rust.type;
      const cast = target === 'f64' ? '$' : isOptional ? `$.map(|value| value as ${target})` : `$ as ${target}`;
      return { native: isOptional ? 'Option<f64>' : 'f64', from: rust.from ?? cast };
    }
    case 'boolean':
      return { native: 'bool', from: rust.from ?? '$' };
    case 'string':
    case 'oneOf':
      return { native: 'String', from: rust.from ?? '$' };
    case 'strings':
      return { native: 'Vec<String>', from: rust.from ?? '$', values };
    case 'modules':
      return { native: 'Vec<NativeModule>', from: rust.from };
  }
  throw new Error(`an option of the type ${type} cannot be passed to Rust`);
}

function nativeOptions() {
  const passed = ({ name, rust }) => rust.passedAs ?? snakeCase(name);
  const fields = NATIVE.map((row) => `    pub ${passed(row)}: ${nativeType(row).native},\n`);
  const taken = NATIVE.map((row, index) => `            ${passed(row)}: part(&parts, ${index})?,\n`);
  const conversions = NATIVE.map((row) => {
    const field = row.rust.field ?? snakeCase(row.name);
    return `            ${field}: ${nativeType(row).from.replaceAll('$', `options.${passed(row)}`)},\n`;
  });
  const prepared = NATIVE.filter(({ forPreparing }) => forPreparing);
  const prepareFields = prepared.map((row) => `    pub ${passed(row)}: ${nativeType(row).native},\n`);
  return `${HEADER('option-table.ts')}//! The options of executors as JavaScript passes them.

use napi::bindgen_prelude::{Array, FromNapiValue};
use napi::{Error, Result, Status, sys};
use napi_derive::napi;
use ses_protocol::{Config, LEVELS};

use crate::arguments::{NativeModule, NativeTool, language};

/// A list, in the order of the table. Reading this many properties by name would take a tenth of the time for making an
/// executor.
pub struct NativeOptions {
${fields.join('')}}

impl FromNapiValue for NativeOptions {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the caller's contract is the same.
        let parts = unsafe { Array::from_napi_value(env, value) }?;
        Ok(Self {
${taken.join('')}        })
    }
}

fn part<T: FromNapiValue>(parts: &Array, index: u32) -> Result<T> {
    parts.get(index)?.ok_or_else(|| Error::new(Status::InvalidArg, format!("option {index} is missing")))
}

/// The options that VALIDATE and TRANSFORM depend on.
#[napi(object, object_to_js = false)]
pub struct NativePrepareOptions {
${prepareFields.join('')}}

impl From<NativeOptions> for Config {
    fn from(options: NativeOptions) -> Self {
        Self {
${conversions.join('')}        }
    }
}
`;
}
