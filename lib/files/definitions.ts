import { checkFileToolOptions } from './options';
import type { FileToolLimits, FileToolOptions } from './options';
import type { FileTools } from './tools';

/** One argument of a tool. */
export interface FileToolInput {
  type: 'string' | 'integer' | 'boolean';
  description: string;
  /** Whether the argument can be omitted. */
  nullable?: boolean;
  /** The minimum of an integer. */
  minimum?: number;
}

/** The description of a tool, for prompts and protocols. */
export interface FileToolDefinition {
  name: keyof FileTools;
  description: string;
  /** The arguments, in the order of positional arguments. */
  inputs: Record<string, FileToolInput>;
  output_type: 'object' | 'string' | 'array' | 'any';
  /** JSON schema of the result. */
  output_schema: object;
}

/** @internal */
export type Input = FileToolInput;

const text = (description: string): Input => ({ type: 'string', description });
const optional = (input: Input): Input => ({ ...input, nullable: true });
const integer = (minimum: number, description: string): Input => optional({ type: 'integer', minimum, description });
const flag = (description: string): Input => optional({ type: 'boolean', description });

/** The schema of results for models. */
const CONTENT = {
  type: 'object',
  required: ['content'],
  properties: {
    content: {
      type: 'array',
      description: "Blocks: { type: 'text', text }, or { type: 'image', mimeType, data } with data in base64",
      items: { type: 'object' },
    },
    details: { type: 'object', description: 'Facts in addition to the text, if any: truncation, diff, limits' },
  },
};
const STAT = {
  type: 'object',
  required: ['type', 'size', 'modified'],
  properties: {
    type: { type: 'string', enum: ['file', 'directory', 'other'] },
    size: { type: 'integer', description: 'Bytes of a file' },
    modified: { type: ['string', 'null'], description: 'ISO 8601' },
  },
};
const FILE = text('Path of the file, relative to the root');
const PATH = text('Path, relative to the root');

/** @internal */
export type Limits = Required<FileToolLimits>;

/**
 * A tool. Its inputs are in the order of positional arguments.
 *
 * @internal
 */
export interface FileTool {
  name: FileToolDefinition['name'];
  describe: (limits: Limits) => string;
  inputs: Record<string, Input>;
  /** how many arguments can be passed by position */
  positional: number;
  /** schema of the result, if not `CONTENT` */
  output?: object;
}

/** @internal */
export const FILE_TOOLS: FileTool[] = [
  {
    name: 'read',
    describe: ({ maxLines, maxBytes, maxImageBytes }) =>
      `Read a file to look at it. Text is returned unchanged, ${count(maxLines)} lines or ${size(maxBytes)} at most: continue with offset. Images (png, jpeg, gif, webp) of up to ${size(maxImageBytes)} come as an image block. In code use readText, which returns all of it.`,
    inputs: {
      path: FILE,
      offset: integer(1, 'First line to read, from 1'),
      limit: integer(1, 'Number of lines to read'),
    },
    positional: 3,
  },
  {
    name: 'readText',
    describe: ({ maxFileBytes }) =>
      `The whole text of a UTF-8 file, as a string, for code; a file of more than ${size(maxFileBytes)} is an error.`,
    inputs: { path: FILE },
    positional: 1,
    output: { type: 'string' },
  },
  {
    name: 'readJson',
    describe: () => 'The value of a JSON file of up to 4MB, for code.',
    inputs: { path: FILE },
    positional: 1,
    output: {},
  },
  {
    name: 'readLines',
    describe: () => 'All lines of a UTF-8 file of up to 4MB, without line endings, as an array of strings, for code.',
    inputs: { path: FILE },
    positional: 1,
    output: { type: 'array', items: { type: 'string' } },
  },
  {
    name: 'readBytes',
    describe: ({ maxFileBytes }) =>
      `The content of a file as a Uint8Array, for code; a file of more than ${size(maxFileBytes)} is an error.`,
    inputs: { path: FILE },
    positional: 1,
    output: {},
  },
  {
    name: 'stat',
    describe: () => 'The type, size and modification time of a file or folder.',
    inputs: { path: PATH },
    positional: 1,
    output: STAT,
  },
  {
    name: 'write',
    describe: ({ maxFileBytes }) =>
      `Write a whole file: it is created, with its parent folders, or replaced. ${size(maxFileBytes)} at most.`,
    inputs: { path: FILE, content: text('The new content') },
    positional: 2,
  },
  {
    name: 'edit',
    describe: () =>
      'Replace one piece of text in a file. oldText must match exactly, whitespace included, and occur only once.',
    inputs: { path: FILE, oldText: text('The text to replace'), newText: text('What to put in its place') },
    positional: 3,
  },
  {
    name: 'move',
    describe: () => 'Move or rename a file or a folder. The parent folders of the new path are created.',
    inputs: {
      from: PATH,
      to: text('The new path, with the name, relative to the root'),
      overwrite: flag('Replace a file that already exists'),
    },
    positional: 2,
  },
  {
    name: 'remove',
    describe: ({ maxEntries }) =>
      `Remove a file or an empty folder; with recursive a folder and everything in it, ${count(maxEntries)} entries at most.`,
    inputs: { path: PATH, recursive: flag('Remove a folder and everything in it') },
    positional: 1,
  },
  {
    name: 'grep',
    describe: ({ maxBytes, maxResults }) =>
      `Search the content of files. Returns matching lines with path and line number. Leaves out .git, node_modules, what .gitignore excludes, and what is not UTF-8 text. ${count(Math.min(100, maxResults))} matches or ${size(maxBytes)} at most, long lines are cut to 500 characters around the match.`,
    inputs: {
      pattern: text('Regular expression (Rust syntax), or plain text with literal'),
      path: optional(text('Folder or file to search, relative to the root; default: the root')),
      glob: optional(text("Which files to search, for example '*.ts' or '**/*.spec.ts'")),
      ignoreCase: flag('Ignore case'),
      literal: flag('The pattern is plain text'),
      context: integer(0, 'Lines to show before and after each match; default 0'),
      limit: integer(1, 'Maximum number of matches to return; default 100'),
    },
    positional: 2,
  },
  {
    name: 'find',
    describe: ({ maxBytes, maxResults }) =>
      `Find files by glob pattern. Returns paths relative to the folder of the search. Leaves out .git, node_modules and what .gitignore excludes. ${count(Math.min(1_000, maxResults))} paths or ${size(maxBytes)} at most.`,
    inputs: {
      pattern: text("Glob, for example '*.ts', '**/*.json' or 'src/**/*.spec.ts'"),
      path: optional(text('Folder to search, relative to the root; default: the root')),
      limit: integer(1, 'Maximum number of paths to return; default 1000'),
    },
    positional: 2,
  },
  {
    name: 'ls',
    describe: ({ maxBytes, maxResults }) =>
      `List a folder: names in alphabetical order, folders with a slash, dot files included. ${count(Math.min(500, maxResults))} entries or ${size(maxBytes)} at most.`,
    inputs: {
      path: optional(text('Folder to list, relative to the root; default: the root')),
      limit: integer(1, 'Maximum number of entries to return; default 500'),
    },
    positional: 1,
  },
];

/**
 * Tools that change files.
 *
 * @internal
 */
export const MUTATING = new Set(['write', 'edit', 'move', 'remove']);

/** Describes the tools that `createFileTools` creates with these options. The descriptions state the limits. */
export function describeFileTools(options: FileToolOptions): FileToolDefinition[] {
  const { readOnly, limits } = checkFileToolOptions(options);
  return FILE_TOOLS.filter(({ name }) => !readOnly || !MUTATING.has(name)).map(
    ({ name, describe, inputs, output = CONTENT }) => ({
      name,
      description: describe(limits),
      inputs,
      output_type: outputType(output),
      output_schema: output,
    }),
  );
}

function outputType(schema: object) {
  const { type } = schema as { type?: FileToolDefinition['output_type'] };
  return type ?? 'any';
}

function size(bytes: number) {
  if (bytes < 1024) return `${bytes}B`;
  const [amount, unit] = bytes < 1 << 20 ? [bytes / 1024, 'KB'] : [bytes / (1 << 20), 'MB'];
  return `${Number(amount.toFixed(1))}${unit}`;
}

function count(number: number) {
  return String(number);
}

/** The descriptions of all tools, with the default limits. */
// An absolute path, because the current folder of the process may not exist any more.
export const fileToolDefinitions: FileToolDefinition[] = describeFileTools({ root: '/' });
