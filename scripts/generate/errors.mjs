// What follows from `lib/contract/error-table.js`.

import table from '../../lib/contract/error-table.js';
import { docComment } from './text.mjs';

const { ERRORS } = table;

export function errorParts() {
  return [
    { path: 'index.d.ts', name: 'ExecutorErrorCode', text: union() },
    { path: 'docs/errors.md', name: 'codes', text: `\n${ERRORS.map(section).join('\n')}\n` },
  ];
}

function union() {
  const beyond = ERRORS.filter(({ ofSpecification }) => ofSpecification === false).map(({ code }) => `\`${code}\``);
  const doc = `Code of an {@link ExecutorError} (section 8.2); \`docs/errors.md\` says what each means and what to do. \
${beyond.slice(0, -1).join(', ')} and ${beyond.at(-1)} go beyond the specification.`;
  return `${docComment(doc, '')}
export type ExecutorErrorCode = ${ERRORS.map(({ code }) => `'${code}'`).join(' | ')};
`;
}

/** @param {import('../../lib/contract/error-table.js').ErrorRow} row */
function section({ code, message, severity, retryable, leaves, leavesToo, doc, example }) {
  const state = leavesToo === undefined ? leaves : `${leaves}, or ${leavesToo}`;
  const facts = [`\`${message}\``, severity, retryable ? 'retryable' : 'not retryable', state];
  const code_ = example === undefined ? '' : `\n\`\`\`js\n${example}\n\`\`\`\n`;
  return `## ${code}\n\n${facts.join(' · ')}\n\n${doc}\n${code_}`;
}
