// Texts that the check of prose leaves alone, because something else fixes their wording.

import { readFileSync } from 'node:fs';

import table from '../../build/contract/error-table.js';

const ROOT = new URL('../../', import.meta.url);

/** Files that have such texts only, or that are not ours. */
export const EXEMPT_FILES = [
  { path: /^scripts\/prose\/patterns\.mjs$/, reason: 'lists the expressions' },
  { path: /^scripts\/check-prose\.mjs$/, reason: 'names some of them' },
  { path: /^__test__\/package\/check-prose\.test\.mjs$/, reason: 'tests them' },
  {
    path: /^lib\/adapters\/prompts\/(?:python-)?template\.[jt]s$/,
    reason: 'prompts of appendix D of the specification',
  },
  { path: /^(?:LICENSE|vendor\/|fuzz\/corpus\/|.*-lock\.json$|Cargo\.lock$)/, reason: 'not written here' },
  { path: /^reports\//, reason: 'generated: the texts of their generators are checked' },
  { path: /^__test__\/sandbox\/fixtures\/|^crates\/prepare\/src\/fixtures\//, reason: 'input of tests' },
];

/** Texts of the specification: a match within one of them is none. */
export function exemptTexts() {
  return [
    // Section 8.2: message templates.
    ...table.ERRORS.filter(({ ofSpecification }) => ofSpecification !== false).map(({ message }) => message),
    ...pythonMessages(),
  ];
}

/** The messages of section 7.2 of the specification of Python. */
function pythonMessages() {
  const page = readFileSync(new URL('docs/spec/python.md', ROOT), 'utf8');
  const [section] = /^### 7\.2 [^]*?(?=^##)/m.exec(page) ?? [];
  if (section === undefined) throw new Error('docs/spec/python.md has no section 7.2');
  return Array.from(section.matchAll(/^\|[^|]*\| `([^`]+)`/gm), ([, message]) => message);
}
