// What follows from `lib/contract/option-table.js`.

import table from '../../lib/contract/option-table.js';
import { byteCount, docComment, numeral } from './text.mjs';

const { OPTIONS } = table;

export function optionParts() {
  return [
    { path: 'index.d.ts', name: 'ExecutorOptions', text: OPTIONS.map(member).join('') },
    {
      path: 'index.d.ts',
      name: 'RunOptions',
      text: OPTIONS.filter(({ perRun }) => perRun)
        .map(runMember)
        .join(''),
    },
    { path: 'README.md', name: 'options', text: readmeTable() },
  ];
}

/** @param {import('../../lib/contract/option-table.js').OptionRow} row */
function member(row) {
  const [what, ...more] = row.doc.split('\n\n');
  const doc = [`${what} ${range(row)}`, ...more].join('\n\n');
  return `${docComment(doc, '  ')}\n  ${row.name}?: ${typeOf(row)};\n`;
}

function runMember(row) {
  return `  /** As {@link ExecutorOptions.${row.name}}, for this run. */\n  ${row.name}?: ${typeOf(row)};\n`;
}

/** Range and default in a sentence. */
function range(row) {
  const { type, min, max } = row;
  const isDefault = row.none === undefined ? `default ${defaultText(row)}` : `default: ${row.none}`;
  if (type !== 'integer' && type !== 'number') return `${isDefault.replace('d', 'D')}.`;
  return `An integer from ${numeral(min)} to ${numeral(max)}; ${isDefault}.`;
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
  return type === 'strings' ? 'string[]' : type;
}

function readmeTable() {
  const rows = OPTIONS.map((row) => {
    const fallback = row.fallback === undefined || row.type === 'modules' ? 'none' : defaultText(row);
    const bytes = row.unit === 'bytes' ? byteCount(row.fallback) : undefined;
    return `| \`${row.name}\` | ${row.shown ?? bytes ?? fallback} | ${row.brief} |`;
  });
  return ['\n| option | default | |', '| --- | --- | --- |', ...rows, '\n'].join('\n');
}
