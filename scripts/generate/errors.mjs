// What follows from `lib/contract/error-table.ts`.

import table from '../../build/contract/error-table.js';
import { HEADER, docComment, snakeCase, wrapped } from './text.mjs';

const { ERRORS } = table;

export function errorParts() {
  return [
    { path: 'lib/contract/error-codes.ts', text: union() },
    { path: 'docs/reference/errors.md', name: 'codes', text: `\n${ERRORS.map(section).join('\n')}\n` },
    { path: 'crates/protocol/src/failure_kind.rs', text: failureKind() },
  ];
}

function union() {
  const beyond = ERRORS.filter(({ ofSpecification }) => ofSpecification === false).map(({ code }) => `\`${code}\``);
  const doc = `Code of an {@link ExecutorError} (section 8.2); \`docs/reference/errors.md\` says what each means and what to do. \
${beyond.slice(0, -1).join(', ')} and ${beyond.at(-1)} go beyond the specification.`;
  return `${HEADER('error-table.ts')}
${docComment(doc, '')}
export type ExecutorErrorCode = ${ERRORS.map(({ code }) => `'${code}'`).join(' | ')};
`;
}

/** @param {import('../../build/contract/error-table.js').ErrorRow} row */
function section({ code, message, severity, retryable, leaves, leavesToo, doc, example }) {
  const state = leavesToo === undefined ? leaves : `${leaves}, or ${leavesToo}`;
  const facts = [`\`${message}\``, severity, retryable ? 'retryable' : 'not retryable', state];
  const code_ = example === undefined ? '' : `\n\`\`\`js\n${example}\n\`\`\`\n`;
  return `## ${code}\n\n${facts.join(' · ')}\n\n${doc}\n${code_}`;
}

/** Errors that Rust makes. */
const NATIVE = ERRORS.filter(({ variant }) => variant !== undefined);

function failureKind() {
  const variants = NATIVE.map(({ variant, params, cause, leaves, leavesToo }) => {
    const fields = Object.entries(params).map(([name, type]) => `${snakeCase(name)}: ${type}`);
    const state = `The executor is ${leaves}${leavesToo === undefined ? '' : `, or ${leavesToo}`}.`;
    const doc = wrapped(`${cause} ${state}`, '    /// ', 116);
    return `${doc}\n    ${variant}${fields.length === 0 ? '' : ` { ${fields.join(', ')} }`},\n`;
  });
  const any = ({ variant, params }) => `Self::${variant}${Object.keys(params).length === 0 ? '' : ' { .. }'}`;
  const method = (doc, head, arms) =>
    `    /// ${doc}\n    pub fn ${head} {\n        match self {\n${arms}        }\n    }\n`;
  const by = (value) => NATIVE.map((row) => `            ${any(row)} => ${value(row)},\n`).join('');
  const grouped = (value) => {
    const groups = groupBy(NATIVE, value);
    return [...groups].map(([result, rows]) => `            ${rows.map(any).join(' | ')} => ${result},\n`).join('');
  };
  const messages = NATIVE.map(({ variant, message, params }) => {
    const names = Object.keys(params);
    if (names.length === 0) return `            Self::${variant} => ${JSON.stringify(message)}.to_owned(),\n`;
    const template = message.replace(/\{(\w+)\}/g, (_, name) => `{${snakeCase(name)}}`);
    return `            Self::${variant} { ${names.map(snakeCase).join(', ')} } => format!(${JSON.stringify(template)}),\n`;
  });
  return `${HEADER('error-table.ts')}//! Codes, severities, retryability and messages of failures (specification, section 8.2).

use crate::encoding;

/// The reason why a call failed. Each variant says in which state the executor is afterwards.
#[derive(Clone, Debug)]
pub enum FailureKind {
${variants.join('')}}

encoding::choice!(FailureKind {
${NATIVE.map(frameVariant).join('')}});

impl FailureKind {
${[
  method(
    '`ExecutorError.code`.',
    "code(&self) -> &'static str",
    by(({ code }) => code),
  ),
  method(
    '`ExecutorError.severity`.',
    "severity(&self) -> &'static str",
    grouped(({ severity }) => `"${severity}"`),
  ),
  method(
    'Whether sending rewritten code, or the same call again, can succeed.',
    'retryable(&self) -> bool',
    grouped(({ retryable }) => String(retryable)),
  ),
  method('`ExecutorError.message`.', 'message(&self) -> String', messages.join('')),
].join('\n')}}

${NATIVE.map(({ code, variant }) => `/// Code of [\`FailureKind::${variant}\`].\npub const ${code}: &str = "${code}";\n`).join('')}`;
}

/** A variant's tag and fields, as frames have them. */
function frameVariant({ variant, params }, tag) {
  const fields = Object.keys(params).map(snakeCase);
  return `    ${tag} ${variant}${fields.length === 0 ? '' : ` { ${fields.join(', ')} }`},\n`;
}

/** `Map.groupBy` is younger than Node.js 20. */
function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
