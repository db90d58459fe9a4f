import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Checker, sharedChecker, useTypeScript } = require('../../build/typecheck/checker.js');

export { Checker, sharedChecker, useTypeScript };
/** The names under which this repository has TypeScript 7, 5 and 6. */
export const NATIVE = 'typescript-v7';
export const WITH_API = 'typescript';
export const WITH_API_6 = 'typescript-v6';

/** `rule` and `line` of each diagnostic, and its message. */
export const found = (diagnostics = []) =>
  diagnostics.map(({ rule, location, message }) => `${rule} ${location?.line}:${location?.column} ${message}`);

export const SEARCH = {
  description: 'Searches.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer' }, order: { enum: ['asc', 'desc'] } },
    required: ['query'],
  },
  outputSchema: { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } } } },
  execute: async ({ query }) => [{ title: query }],
};
const SEARCH_TYPE = '{ query: string; limit?: number; order?: "asc" | "desc"; }';
/** The message about `search({ querry: … })`. */
export const MISSPELT = `Object literal may only specify known properties, but 'querry' does not exist in type '${SEARCH_TYPE}'. Did you mean to write 'query'?`;
