/**
 * File tools for agents, ready for `sendTools`, confined to one folder.
 *
 * @packageDocumentation
 */

import { parseArguments } from './arguments';
import { setImmediate } from '../contract/clock';
import { FILE_TOOLS, MUTATING, describeFileTools, fileToolDefinitions } from './definitions';
import { checkFileToolOptions } from './options';
import { currentScope } from '../contract/run-scope';
import { defined } from '../contract/tool-traits';
import type { Foreign } from '../contract/foreign';
import type { NativeFileOutcome, NativeFileStop, NativeFileTools } from '../../native';
import type { RunScope } from '../contract/run-scope';
import type { FileTool, FileToolDefinition, FileToolInput } from './definitions';
import type { FileToolLimits, FileToolOptions } from './options';
import type {
  EditArguments,
  EditDetails,
  FileStat,
  FileToolDetails,
  FileToolResult,
  FileTools,
  FindArguments,
  GrepArguments,
  ImageBlock,
  LeftOut,
  LsArguments,
  MoveArguments,
  ReadArguments,
  ReadOnlyFileTools,
  RemoveArguments,
  TextBlock,
  Truncation,
  WriteArguments,
} from './tools';

/** The most bytes of a file that is split or parsed on the host's thread. 4 MiB. */
const MAX_SMALL_BYTES = 4 << 20;

/** How each tool is called on the native side. */
const CALLS: Record<
  string,
  (native: NativeFileTools, args: Record<string, Foreign>, stop: NativeFileStop) => Promise<NativeFileOutcome>
> = {
  read: (native, { path, offset, limit }, stop) => native.read(path, offset, limit, stop),
  readText: (native, { path }, stop) => native.readText(path, stop),
  readJson: (native, { path }, stop) =>
    native.readParts(path, true, MAX_SMALL_BYTES, 'Use JSON.parse(await readText(path)).', stop),
  readLines: (native, { path }, stop) =>
    native.readParts(path, false, MAX_SMALL_BYTES, 'Use (await readText(path)).split("\\n").', stop),
  readBytes: (native, { path }, stop) => native.readBytes(path, stop),
  stat: (native, { path }, stop) => native.stat(path, stop),
  write: (native, { path, content }, stop) => native.write(path, content, stop),
  edit: (native, { path, oldText, newText }, stop) => native.edit(path, oldText, newText, stop),
  move: (native, { from, to, overwrite = false }, stop) => native.move(from, to, overwrite, stop),
  remove: (native, { path, recursive = false }, stop) => native.remove(path, recursive, stop),
  grep: (native, args, stop) => native.grep(args as Parameters<NativeFileTools['grep']>[0], stop),
  find: (native, { pattern, path, limit }, stop) => native.find(pattern, path, limit, stop),
  ls: (native, { path, limit }, stop) => native.ls(path, limit, stop),
};

/**
 * Creates file tools for one folder.
 *
 * @throws `TypeError` or `RangeError` for wrong options; `Error` if the root does not exist (`ENOENT`), is not a folder
 * (`ENOTDIR`), or cannot be opened
 *
 * @example
 * ```js
 * import { SESExecutor } from 'ses-executor';
 * import { createFileTools } from 'ses-executor/tools';
 *
 * const executor = new SESExecutor({ autoInit: true });
 * await executor.sendTools(createFileTools({ root: './workspace' }));
 * const { output } = await executor.run(`
 *   const { content } = await read({ path: 'notes.md', offset: 1 });
 *   content[0].text
 * `);
 * ```
 */
export function createFileTools(options: FileToolOptions & { readOnly: true }): ReadOnlyFileTools;
export function createFileTools(options: FileToolOptions & { readOnly?: false | undefined }): FileTools;
export function createFileTools(options: FileToolOptions): ReadOnlyFileTools;
export function createFileTools(options: FileToolOptions): ReadOnlyFileTools {
  const { root, limits } = checkFileToolOptions(options);
  // Loaded here, because the descriptions of the tools must not load the addon.
  const { NativeFileStop, NativeFileTools } = require('../../native.cjs') as typeof import('../../native.cjs');
  const native = new NativeFileTools(root, limits);
  const stops: WeakMap<RunScope, NativeFileStop> = new WeakMap();
  const stopOfRun = () => {
    const scope = currentScope();
    const known = scope && stops.get(scope);
    if (known !== undefined) return known;
    const stop = new NativeFileStop();
    if (scope !== undefined) {
      stops.set(scope, stop);
      scope.atEnd(() => stop.stop());
    }
    return stop;
  };
  const inOrder = sequence();
  const tools = describeFileTools(options).map(({ name, description, inputs, output_schema: outputSchema }) => {
    const tool = FILE_TOOLS.find((it) => it.name === name) as FileTool;
    const call = async (...args: unknown[]) => {
      const checked = parseArguments(tool, args);
      const stop = stopOfRun();
      const work = () => CALLS[name](native, checked, stop);
      return result(tool, checked, await taken(MUTATING.has(name) ? inOrder(work) : work()));
    };
    const required = Object.keys(inputs).filter((key) => inputs[key].nullable !== true);
    Object.defineProperties(call, { name: { value: name }, length: { value: required.length } });
    const inputSchema = { type: 'object', properties: inputs, required };
    return [name, defined(call, { description, inputSchema, outputSchema: { ...outputSchema } })];
  });
  return Object.fromEntries(tools) as FileTools;
}

/** Runs tasks one after the other, in the order of the calls: an edit reads what the edit before it wrote. */
function sequence(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** The turn of the event loop in which the last large outcome is delivered. */
let lastTurn = Promise.resolve();

/**
 * An outcome. A large one is delivered in a separate turn of the event loop: its receiver copies it, and Node.js frees
 * no outcome before the turn is over.
 */
async function taken(pending: Promise<NativeFileOutcome>) {
  const outcome = await pending;
  if (outcome.receipt !== undefined) {
    lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
    await lastTurn;
    outcome.receipt.sign();
  }
  return outcome;
}

/**
 * The result of a tool: content for a model, or a value for code.
 *
 * @throws {Error} with the code and message of a failed outcome
 */
function result(
  { name }: { name: string },
  { path }: Record<string, Foreign>,
  { code, message, text, bytes, stat, receipt: _, ...output }: NativeFileOutcome,
) {
  if (code !== undefined) throw fileError(code, message);
  if (stat !== undefined) {
    const { type, size, modifiedMs } = stat;
    return { type, size, modified: isoTime(modifiedMs) };
  }
  if (bytes !== undefined) return bytes;
  if (text === undefined) return output;
  if (name === 'readJson') return parsed(text, path);
  return name === 'readLines' ? linesOf(text) : text;
}

/**
 * ISO 8601; null for a missing time, and for one beyond the range of a `Date`.
 *
 * @param ms since the Unix epoch
 */
function isoTime(ms: number | undefined = NaN) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function fileError(code: string, message: string | undefined) {
  return Object.assign(new Error(message), { code });
}

function parsed(text: string, path: string) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fileError('ERR_INVALID_JSON', `Not JSON: ${path}: ${(error as Error).message}`);
  }
}

/** Lines without their line ends. A line end at the end of the text does not start another line. */
function linesOf(text: string) {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export { describeFileTools, fileToolDefinitions };
export type {
  EditArguments,
  EditDetails,
  FileStat,
  FileToolDefinition,
  FileToolDetails,
  FileToolInput,
  FileToolLimits,
  FileToolOptions,
  FileToolResult,
  FileTools,
  FindArguments,
  GrepArguments,
  ImageBlock,
  LeftOut,
  LsArguments,
  MoveArguments,
  ReadArguments,
  ReadOnlyFileTools,
  RemoveArguments,
  TextBlock,
  Truncation,
  WriteArguments,
};
