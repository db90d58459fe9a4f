// @ts-check
'use strict';

/**
 * @typedef {import('./index').FileToolDefinition} Definition
 * @typedef {import('./index').FileToolInput} Input
 */

/** @returns {Input} */
const text = (/** @type {string} */ description) => ({ type: 'string', description });
/** @returns {Input} */
const optional = (/** @type {Input} */ input) => ({ ...input, nullable: true });
/** @returns {Input} */
const integer = (/** @type {number} */ minimum, /** @type {string} */ description) =>
  optional({ type: 'integer', minimum, description });
/** @returns {Input} */
const flag = (/** @type {string} */ description) => optional({ type: 'boolean', description });

/** What every tool gives. */
const OUTPUT_SCHEMA = {
  type: 'object',
  required: ['content'],
  properties: {
    content: {
      type: 'array',
      description: "Blocks: { type: 'text', text }, or { type: 'image', mimeType, data } with data in base64",
      items: { type: 'object' },
    },
    details: { type: 'object', description: 'Facts beside the text, if there are any: truncation, diff, limits' },
  },
};

/**
 * The tools. The order of the inputs is that of positional arguments; `positional` says how many can be passed so.
 *
 * @type {Array<Pick<Definition, 'name' | 'description' | 'inputs'> & { positional: number }>}
 */
const FILE_TOOLS = [
  {
    name: 'read',
    description:
      'Read a file. Text comes as it is, 2000 lines or 50KB at most: continue with offset. Images (png, jpeg, gif, webp) come as an image block.',
    inputs: {
      path: text('Path of the file, relative to the root'),
      offset: integer(1, 'First line to read, from 1'),
      limit: integer(1, 'Number of lines to read'),
    },
    positional: 3,
  },
  {
    name: 'write',
    description: 'Write a file as a whole: it is made, with its parent folders, or replaced.',
    inputs: { path: text('Path of the file, relative to the root'), content: text('The new content') },
    positional: 2,
  },
  {
    name: 'edit',
    description:
      'Replace one piece of text in a file. oldText must match exactly, whitespace included, and occur only once.',
    inputs: {
      path: text('Path of the file, relative to the root'),
      oldText: text('The text to replace'),
      newText: text('What to put in its place'),
    },
    positional: 3,
  },
  {
    name: 'grep',
    description:
      'Search the content of files. Gives matching lines with path and line number; respects .gitignore. 100 matches or 50KB at most, long lines are cut at 500 characters.',
    inputs: {
      pattern: text('Regular expression (Rust syntax), or plain text with literal'),
      path: optional(text('Folder or file to search, relative to the root; default: the root')),
      glob: optional(text("Which files to search, for example '*.ts' or '**/*.spec.ts'")),
      ignoreCase: flag('Ignore case'),
      literal: flag('The pattern is plain text'),
      context: integer(0, 'Lines to show before and after each match; default 0'),
      limit: integer(1, 'Most matches to return; default 100'),
    },
    positional: 2,
  },
  {
    name: 'find',
    description:
      'Find files by glob pattern. Gives paths relative to the folder of the search; respects .gitignore. 1000 paths or 50KB at most.',
    inputs: {
      pattern: text("Glob, for example '*.ts', '**/*.json' or 'src/**/*.spec.ts'"),
      path: optional(text('Folder to search, relative to the root; default: the root')),
      limit: integer(1, 'Most paths to return; default 1000'),
    },
    positional: 2,
  },
  {
    name: 'ls',
    description:
      'List a folder: names in alphabetical order, folders with a slash, dot files included. 500 entries or 50KB at most.',
    inputs: {
      path: optional(text('Folder to list, relative to the root; default: the root')),
      limit: integer(1, 'Most entries to return; default 500'),
    },
    positional: 1,
  },
];

/** @type {Definition[]} */
const fileToolDefinitions = FILE_TOOLS.map(({ positional: _, ...tool }) => ({
  ...tool,
  output_type: 'object',
  output_schema: OUTPUT_SCHEMA,
}));

module.exports = { FILE_TOOLS, fileToolDefinitions };
